/** The GraphQL face on the shared HTTP server: the short cut, and the executor for what that does not serve. */
import { toEnvelope } from '../errors.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { codingRefusal, HttpRefusal, httpStatusOf, type Refuse } from '../http/refusals.ts';
import { mediaTypeOf } from '../http/request-headers.ts';
import type { Route } from '../http/router.ts';
import { sendJson } from '../http/send.ts';
import { once } from '../once.ts';
import { endpoint } from './endpoint.ts';
import { errorBody } from './error-extensions.ts';
import type { ExecutorOptions } from './executor.ts';
import { createGraphiQL, type GraphiQLOptions, wantsPage } from './graphiql/page.ts';
import type { GraphQLShortCut } from './short-cut.ts';

export interface GraphQLOptions extends ExecutorOptions {
  /** What serves most operations without the executor; null where nothing does. */
  readonly shortCut: GraphQLShortCut | null;
  /** Served to browsers that open the endpoint; null treats a browser like any other client. */
  readonly graphiql: GraphiQLOptions | null;
}

export interface GraphQLFace {
  readonly routes: readonly Route[];
  /** Loads what no request has asked for so far. What cannot be loaded fails the first request that needs it, which loads it again. */
  warmUp(): Promise<void>;
}

/** GraphQL at the endpoint, with GraphiQL and its assets if they are configured. */
export function createGraphQL(options: GraphQLOptions): GraphQLFace {
  const { shortCut } = options;
  const graphiql = options.graphiql === null ? null : createGraphiQL(endpoint, options.graphiql);
  /** Yoga and what it brings are a third of all modules: what the short cut serves does not wait for them. */
  const executor = once(async () => {
    const { createExecutor } = await import('./executor.ts');
    return createExecutor(options);
  });

  async function serve(request: IncomingRequest): Promise<void> {
    const { method, headers } = request;
    const refusal = codingRefusal(headers);
    if (refusal !== undefined) throw refusal;
    if (graphiql !== null && wantsPage(request)) return graphiql.sendPage(request);
    if (method === 'POST') requireJson(request);
    if (await shortCut?.shortCut(request)) return;
    const body = method === 'POST' && hasBody(request) ? await request.json() : undefined;
    const execute = await executor();
    await execute({ http: request, body, admitted: shortCut?.admittedContextOf(request) });
  }

  const routes: Route[] = [
    // What to read of an operation is for its document to say: there is no HEAD (GraphQL over HTTP, section 6.1).
    { method: 'GET', path: endpoint, hasHead: false, serve },
    { method: 'POST', path: endpoint, serve },
    ...(graphiql?.routes ?? []),
  ];
  return {
    routes: routes.map((route) => ({ ...route, refuse })),
    async warmUp() {
      await executor();
    },
  };
}

const refuse: Refuse = (request, failure) =>
  sendJson(request, httpStatusOf(failure), errorBody(toEnvelope(failure, request.id)));

/** JSON only. Yoga would execute a form, which another site can submit without a preflight request. */
function requireJson(request: IncomingRequest): void {
  if (hasBody(request) && mediaTypeOf(request.headers) !== 'application/json') {
    throw new HttpRefusal(415, { detail: 'Send the body as application/json.' });
  }
}

const hasBody = ({ raw: { headers } }: IncomingRequest): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
