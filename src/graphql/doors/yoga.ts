/** Server-sent events, `multipart/mixed`, and the refusal of an `Accept` that nothing fits. Yoga only writes. */
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { createYoga, getSSEProcessor, mapAsyncIterator, type Plugin, processRegularResult } from 'graphql-yoga';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { fromUnknown, isTemporary } from '../../kernel/errors.ts';
import type { Exchange } from '../exchange.ts';
import { badRequest } from '../kit/errors.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Presented } from '../presentation.ts';
import { warningOfBrowserStreams } from './browser-streams.ts';
import { acceptedBy, accepts, type JsonType, jsonTypeFor } from './json.ts';
import { eventsResponse, multipartResponse, wantsMultipart } from './multipart-subscriptions.ts';
import { cutAt } from './stream-cut.ts';

interface YogaOptions {
  readonly schema: GraphQLSchema;
  readonly pipeline: Pipeline;
  readonly stopping: AbortSignal;
}

interface Served {
  readonly exchange: Exchange<IncomingRequest>;
  /** By the pipeline, which it has passed otherwise. */
  readonly refused: Presented | null;
  /** Aborts where the client is to subscribe again. */
  readonly cut: AbortController;
  isAcceptable: boolean;
}

type YogaDoor = (exchange: Exchange<IncomingRequest>, refused: Presented | null) => Promise<void>;

export function yogaDoor(options: YogaOptions): YogaDoor {
  const yoga = createYoga<Served>({
    schema: options.schema,
    // The router has matched the path, however it is spelt.
    graphqlEndpoint: '*',
    landingPage: false,
    // Yoga's own page loads GraphiQL from a CDN.
    graphiql: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    cors: false,
    maskedErrors: { maskError: asGraphQLError },
    plugins: [usePipeline(options)],
  });
  return async (exchange, refused) => {
    const { raw, response } = exchange.http;
    await yoga.handle(raw, response, { exchange, refused, cut: new AbortController(), isAcceptable: true });
  };
}

/** `originalError` has the cause. */
const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError('Unexpected error', { originalError: fromUnknown(error) });

type Printed = ExecutionResult & { readonly body: Uint8Array | string; readonly stringify: () => string };

function usePipeline({ pipeline, stopping }: Omit<YogaOptions, 'schema'>): Plugin<object, Served> {
  const writeEvents = getSSEProcessor();
  const warn = warningOfBrowserStreams();

  async function serve(served: Served): Promise<Printed | AsyncIterable<ExecutionResult>> {
    const { exchange, refused } = served;
    const canStream = exchange.isSubscription && protocolOf(exchange, true) !== null;
    const notAccepted = () => {
      served.isAcceptable = false;
      return toPrinted(pipeline.refuse(notAcceptable(exchange), exchange));
    };
    // Before executing for a result that nobody could read.
    if (!canStream && protocolOf(exchange, false) === null) return notAccepted();
    const presented = refused ?? (await pipeline.execute(exchange));
    if (!('results' in presented)) return toPrinted(presented);
    if (!canStream) {
      await presented.results[Symbol.asyncIterator]().return?.();
      return notAccepted();
    }
    const print = async (result: ExecutionResult) => toPrinted(await pipeline.printStreamed(result, exchange));
    return mapAsyncIterator(presented.results, print, async (error: unknown) => {
      const last = await print({ errors: [asGraphQLError(error)] });
      if (isTemporary(fromUnknown(error))) served.cut.abort();
      return last;
    });
  }

  return {
    onRequestParse({ request, setRequestParser }) {
      // The pipeline reads parameters; Yoga asks for a text.
      if (['GET', 'POST'].includes(request.method)) setRequestParser(() => ({ query: '' }));
    },
    onParams({ setParamsHandler, context }) {
      setParamsHandler(() => serve(context as Served));
    },
    onResultProcess({ result, setResult, setResultProcessor, serverContext: { exchange, isAcceptable } }) {
      const isStream = Symbol.asyncIterator in result;
      // Yoga's own refusals.
      if (!isStream && !Array.isArray(result) && !('stringify' in result)) {
        setResult(pipeline.presentResult(result, exchange));
      }
      const protocol = isAcceptable ? protocolOf(exchange, isStream) : null;
      if (protocol === 'events') setResultProcessor(isStream ? eventsResponse : writeEvents, 'text/event-stream');
      else if (protocol === 'multipart') setResultProcessor(multipartResponse, 'multipart/mixed');
      else if (protocol !== 'parts') setResultProcessor(processRegularResult, protocol ?? 'application/json');
    },
    onResponse({ response, setResponse, fetchAPI, serverContext: { exchange, cut } }) {
      // Also `cache-control`: event streams would be `no-cache`, which lets a cache store them.
      for (const [name, value] of Object.entries(exchange.http.ownHeaders)) response.headers.set(name, `${value}`);
      const stream = cutAt([stopping, cut.signal], response, fetchAPI);
      if (stream === null) return;
      setResponse(stream);
      if (exchange.isSubscription) warn(exchange.http);
    },
  };
}

/** JSON of a type, events, Apollo's multipart protocol, or Yoga's. */
type Protocol = JsonType | 'events' | 'multipart' | 'parts';

/** @returns null where the client accepts nothing that we could send */
function protocolOf({ http: { headers } }: Exchange, isStream: boolean): Protocol | null {
  const accept = acceptedBy(headers);
  const json = isStream ? undefined : jsonTypeFor(accept);
  if (json !== undefined) return json;
  if (wantsMultipart(accept)) return 'multipart';
  if (accepts(accept, 'text/event-stream')) return 'events';
  return !isStream && accepts(accept, 'multipart/mixed') ? 'parts' : null;
}

const json = 'application/graphql-response+json, application/json';
const streams = 'text/event-stream, multipart/mixed;subscriptionSpec=1.0';

const notAcceptable = ({ isSubscription }: Exchange) =>
  badRequest(
    isSubscription
      ? 'The operation is a subscription: accept text/event-stream or multipart/mixed;subscriptionSpec=1.0.'
      : 'Accept application/graphql-response+json or application/json; for a subscription, text/event-stream or multipart/mixed;subscriptionSpec=1.0.',
    // RFC 9110, section 12.5.1.
    { status: 406, headers: { Accept: `${json}, ${streams}` } },
  );

function toPrinted(presented: Exclude<Presented, { readonly results: unknown }>): Printed {
  if ('splice' in presented) {
    const text = Buffer.from(presented.splice.output()).toString();
    presented.splice.close();
    return { data: {}, body: text, stringify: () => text };
  }
  const { body, errors, hasData } = presented;
  const stringify = () => (typeof body === 'string' ? body : Buffer.from(body).toString());
  const ofErrors = errors.length === 0 ? {} : { errors };
  return { ...ofErrors, ...(hasData ? { data: {} } : {}), body, stringify };
}
