/** How GraphiQL sends operations. Its own way shows nothing of a response but the result. */
import { eventStream } from './event-stream.js';
import { readResult, sendOperation } from './send-operation.js';
import { firstOperation } from './snippets.js';

/**
 * @param {string} endpoint
 * @param {(response: object | null) => void} onResponse hears what there is to say of a response: `status`, `ms` until it had
 *   arrived, `requestId`, `hasWorkingKey`, how many `errors` it has, `bytes` and `cost` (`requestedCost`, `limit`); of a subscription instead
 *   how many `results` have arrived, and the last `result`. Null when a request is sent.
 */
export function createFetcher(endpoint, onResponse) {
  let subscription = new AbortController();

  async function fetcher({ query, variables, operationName }, { headers, documentAST } = {}) {
    const chosen = chosenOperation(query, operationName, documentAST);
    const isSubscription = chosen.kind === 'subscription';
    const sent = new Headers(headers);
    const addsCost = !isSubscription && !sent.has('graphql-cost');
    if (addsCost) sent.set('graphql-cost', 'report');
    if (isSubscription) sent.set('accept', 'text/event-stream');

    const controller = new AbortController();
    const startedAt = performance.now();
    onResponse(null);
    const { signal } = controller;
    const operation = { query, variables, operationName: chosen.operationName };
    const response = await sendOperation(endpoint, operation, { headers: sent, signal });
    const tell = (more) =>
      onResponse({
        status: response.status,
        ms: performance.now() - startedAt,
        requestId: response.headers.get('x-request-id'),
        // A wrong one is refused, whatever the operation.
        hasWorkingKey: response.status < 400 && Boolean(sent.get('x-api-key') || sent.get('authorization')),
        ...more,
      });
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      subscription = controller;
      return stoppable(eventStream(response.body), controller, (results, result) =>
        tell({ results, result, errors: result.errors?.length }),
      );
    }
    const bytes = await response.arrayBuffer();
    const result = await readResult(new Response(bytes, response));
    tell({ errors: result.errors?.length, bytes: bytes.byteLength, cost: result.extensions?.cost });
    return addsCost ? withoutCost(result) : result;
  }

  return { fetcher, stop: () => subscription.abort() };
}

/** GraphiQL reads the editor some time after a change: until then its name and its document are those of the text before. */
function chosenOperation(query, operationName, document) {
  if (document?.loc.source.body !== query) return firstOperation(query);
  const isChosen = ({ operation, name }) => operation && (!operationName || name?.value === operationName);
  return { operationName: operationName ?? undefined, kind: document.definitions.find(isChosen)?.operation };
}

/** The result as other clients get it, who have not asked for the cost. */
function withoutCost({ extensions: { cost, ...extensions } = {}, ...result }) {
  return Object.keys(extensions).length === 0 ? result : { ...result, extensions };
}

/**
 * The results of a subscription for GraphiQL, which ends them with `return` of an iterator of its own. That of a generator
 * would wait for the next result.
 */
function stoppable(results, controller, onResult) {
  async function* counted() {
    let count = 0;
    try {
      for await (const result of results) {
        count += 1;
        onResult(count, result);
        yield result;
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    }
  }
  const iterator = counted();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => iterator.next(),
      async return() {
        controller.abort();
        return { done: true, value: undefined };
      },
    }),
  };
}
