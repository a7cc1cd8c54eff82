/** Serves the supergraph with Apollo Gateway. */
import { readFile } from 'node:fs/promises';
import { ApolloGateway, type GraphQLDataSourceProcessOptions, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { type OperationDefinitionNode, parse, type SelectionSetNode } from 'graphql';

interface Client {
  readonly authorization?: string | undefined;
}

/** The names that the fields of a selection have in a response. */
const namesIn = ({ selections }: SelectionSetNode): string[] =>
  selections.flatMap((selection) => {
    if (selection.kind === 'Field') return [(selection.alias ?? selection.name).value];
    return selection.kind === 'InlineFragment' ? namesIn(selection.selectionSet) : [];
  });

class Postern extends RemoteGraphQLDataSource<Client> {
  override willSendRequest({ request, context }: GraphQLDataSourceProcessOptions<Client>) {
    if (context.authorization) request.http?.headers.set('authorization', context.authorization);
  }

  // For a status of 401 and the like Apollo has an error of its own. That of the subgraph says more.
  override fetcher: RemoteGraphQLDataSource['fetcher'] = async (
    url,
    { method = 'POST', headers = {}, body = '' } = {},
  ) => {
    const response = await fetch(url, { method, headers, body: String(body) });
    return new Response(response.body, { headers: response.headers });
  };

  // A refusal has no path. Without one each field would be null, as if that were the answer.
  override didReceiveResponse({
    request,
    response,
  }: Parameters<RemoteGraphQLDataSource['didReceiveResponse'] & {}>[0]) {
    if (response.data || !response.errors) return response;
    const [operation] = parse(request.query ?? '').definitions as OperationDefinitionNode[];
    const paths = operation ? namesIn(operation.selectionSet).map((name) => [name]) : [];
    return { ...response, errors: response.errors.flatMap((error) => paths.map((path) => ({ ...error, path }))) };
  }
}

const gateway = new ApolloGateway({
  supergraphSdl: await readFile('supergraph.graphql', 'utf8'),
  // The API key is for one subgraph: the others need not know it.
  buildService: ({ name, url = '' }) =>
    name === 'postern' ? new Postern({ url }) : new RemoteGraphQLDataSource<Client>({ url }),
});
const { url } = await startStandaloneServer(new ApolloServer<Client>({ gateway }), {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT || 3000) },
  context: async ({ req }) => ({ authorization: req.headers.authorization }),
});
console.log(url);
