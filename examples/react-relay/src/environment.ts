import { type Result as Given, readResult, sendOperation, skipFailed, steadyFetch } from 'postern/client';
import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  type RequestParameters,
  Store,
  type SubscribeFunction,
  type Variables,
} from 'relay-runtime';
import { beginRead, reportSkipped, streams, url, waits } from './gateway.ts';

type Errors = NonNullable<Given['errors']>;
/** Why something could not be read as a whole, as the gateway says it, with its code. */
class Failed extends Error {
  constructor(errors: Errors) {
    super(errors.map(({ message, extensions }) => `${message} (${extensions?.code})`).join(' '));
  }
}

/** What the gateway says; or what the browser says, if there was no response. */
export const reasonOf = (error: unknown): string => (error instanceof Failed ? error.message : String(error));

/**
 * A response without the list items that failed.
 * @throws Failed if more did, which Relay would take for null
 */
function whole({ name }: RequestParameters, variables: Variables, given: Given): GraphQLResponse {
  const { response, skipped } = skipFailed(given);
  reportSkipped(name, variables, skipped);
  if (response.errors) throw new Failed(response.errors);
  return response as GraphQLResponse;
}

const requestOf = ({ text }: RequestParameters, variables: Variables) => ({ query: text ?? '', variables });
const steady = steadyFetch({ onWaiting: waits('requests') });

const request: FetchFunction = (parameters, variables) =>
  Observable.create<Given>(({ next, error, complete }) => {
    // A mutation is sent once: it may have been executed although its response was lost.
    const send = parameters.operationKind === 'mutation' ? fetch : steady;
    const gone = new AbortController();
    const endRead = parameters.operationKind === 'query' ? beginRead() : () => {};
    sendOperation(url, requestOf(parameters, variables), { fetch: send, signal: gone.signal })
      .then(readResult<unknown>)
      .then(next)
      .then(complete, (reason) => gone.signal.aborted || error(reason));
    return () => {
      gone.abort();
      endRead();
    };
  }).map((given) => whole(parameters, variables, given));

const subscribe: SubscribeFunction = (parameters, variables) =>
  Observable.create<Given>(({ next, error, complete }) =>
    streams.subscribe(requestOf(parameters, variables), {
      next: ({ data, errors }) => next({ data, ...(errors && { errors }) }),
      error: (reason) => error(Array.isArray(reason) ? new Failed(reason) : Error(String(reason))),
      complete,
    }),
  ).map((given) => whole(parameters, variables, given));

export const environment = new Environment({
  network: Network.create(request, subscribe),
  store: new Store(new RecordSource()),
});
