/** A backend for frontend (BFF) that serves a part of the gateway's graph, and a graph of its own, as one. */
import { createServer } from 'node:http';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { stitchSchemas } from '@graphql-tools/stitch';
import { type Executor, printSchemaWithDirectives } from '@graphql-tools/utils';
import { FilterRootFields, PruneSchema } from '@graphql-tools/wrap';
import { buildSchema, print } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { follow } from './follow.ts';
import * as notes from './notes.ts';
import { address } from './settings.ts';
import { withTokenOf } from './tokens.ts';
import { refusal, type Visitor, visitorOf } from './visitors.ts';

export interface Context {
  readonly visitor: Visitor;
}

// #region graph
const http = buildHTTPExecutor({
  endpoint: `${address}/graphql`,
  fetch: (url, init, { visitor }: Context) =>
    withTokenOf(visitor, (token) =>
      fetch(url, { ...init, headers: { ...init?.headers, authorization: `Bearer ${token}` } }),
    ),
});
const executor: Executor = (request) => {
  const { operationType, document, variables = {}, context } = request;
  if (operationType !== 'subscription' || !context) return http(request);
  return follow(context.visitor, { query: print(document), variables });
};

const offered = ['account', 'accounts', 'nodes', 'publishJob', 'jobPostingUpdated'];
const postern = {
  schema: buildSchema(await (await fetch(`${address}/schema.graphql`)).text()),
  executor,
  transforms: [new FilterRootFields((_, name) => offered.includes(name)), new PruneSchema()],
  // One request for an operation.
  batch: true,
  // The other fields of an account to which a note refers by its id.
  merge: {
    Account: {
      fieldName: 'nodes',
      selectionSet: '{ id }',
      key: ({ id }: { id: string }) => id,
      argsFromKeys: (ids: readonly string[]) => ({ ids }),
    },
  },
};
const owners = new Map([['pnet-----------------A', 'Grace']]);
const schema = stitchSchemas({
  subschemas: [postern, { schema: notes.schema }],
  typeDefs: 'extend type Account { owner: String }',
  resolvers: {
    Account: {
      owner: {
        selectionSet: '{ accountId }',
        resolve: ({ accountId }: { accountId: string }) => owners.get(accountId),
      },
    },
  },
});
// #endregion

// Introspection would leave the directives out.
const served = printSchemaWithDirectives(schema);
/** Strangers get nothing, not even the schema. */
const visitorsOnly: Plugin = {
  onRequest({ request, url, endResponse }) {
    if (!visitorOf(request)) endResponse(refusal());
    else if (url.pathname === '/schema.graphql') endResponse(new Response(served));
  },
};

const yoga = createYoga<object, Context>({
  schema,
  graphiql: false,
  plugins: [visitorsOnly],
  async context({ request }) {
    const visitor = visitorOf(request);
    if (!visitor) throw new Error('visitorsOnly has let a stranger in');
    return { visitor };
  },
});

const port = Number(process.env.PORT || 3000);
createServer(yoga).listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/graphql`));
