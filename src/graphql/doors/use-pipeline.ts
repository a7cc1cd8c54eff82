/**
 * The pipeline as plugins of Yoga, around the others: the first ones for what they find on Yoga's way, the last one for
 * requests. It has all the gates, and answers there what is accepted as JSON. Streams, other protocols, and whatever
 * a gateway serves whose other plugins look further than at requests and responses, go on Yoga's way: a plugin that changes
 * parameters comes too late.
 */
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { mapAsyncIterator, type Plugin, processRegularResult } from 'graphql-yoga';
import type { Compress } from '../../http/compression.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { fromUnknown, isTemporary } from '../../kernel/errors.ts';
import type { Exchange } from '../exchange.ts';
import { badRequest } from '../kit/errors.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Presented } from '../presentation.ts';
import { acceptedBy, accepts, jsonTypeFor, wantsMultipart } from './accepted.ts';
import { type JsonResponse, jsonResponses, resultOf } from './json-response.ts';
import { events, parts, streamIn } from './stream-bodies.ts';

/** What a request has beside Yoga's context. */
export interface Served {
  readonly exchange: Exchange<IncomingRequest>;
  /** By a gate, or because nothing could be sent. */
  refused: Presented | null;
  isAcceptable: boolean;
  early: JsonResponse | null;
  /** Aborts where the client is to subscribe again. */
  cut: AbortController | null;
}

/** As the door hands it to Yoga. */
export interface ServedRequest {
  readonly served: Served;
}

export interface ServedContext {
  /** Of the request, which another plugin may replace. */
  served: Served;
}

export interface PipelinePluginOptions {
  readonly pipeline: Pipeline;
  readonly compress: Compress | null;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
}

/** They need an operation or a result on Yoga's way, where responses are neither compressed nor validated (ETag). */
const laterHooks = [
  'onRequestParse',
  'onParams',
  'onEnveloped',
  'onParse',
  'onValidate',
  'onContextBuilding',
  'onExecute',
  'onSubscribe',
  'onExecutionResult',
  'onResultProcess',
];

const isOfRequests = (plugin: Plugin): boolean => !laterHooks.some((hook) => hook in plugin);

/** `originalError` has the cause. */
export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  // Thrown on purpose by a plugin that has a copy of graphql of its own.
  if (error instanceof Error && error.name === 'GraphQLError') {
    const { extensions } = error as GraphQLError;
    return new GraphQLError(error.message, { extensions });
  }
  return new GraphQLError('Unexpected error', { originalError: fromUnknown(error) });
}

export function withPipeline(
  plugins: readonly Plugin[],
  options: PipelinePluginOptions,
): Plugin<ServedContext, ServedContext>[] {
  const { pipeline, compress, stopping } = options;
  const isEarly = plugins.every(isOfRequests);
  const makeResponse = jsonResponses(compress);

  async function execute(served: Served): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
    const { exchange } = served;
    const presented = await pipeline.execute(exchange);
    if (!('results' in presented)) return resultOf(presented);
    const print = async (result: ExecutionResult) => resultOf(await pipeline.printStreamed(result, exchange));
    const cut = new AbortController();
    served.cut = cut;
    let hasFailedForNow = false;
    const results = mapAsyncIterator(presented.results, print, (error: unknown) => {
      hasFailedForNow = isTemporary(fromUnknown(error));
      return print({ errors: [asGraphQLError(error)] });
    });
    const next = results.next.bind(results);
    results.next = () => {
      // The error has been sent.
      if (hasFailedForNow) cut.abort();
      return next();
    };
    return results;
  }
  const executeIn = ({ contextValue }: ExecutionArgs) => execute((contextValue as ServedContext).served);

  const onOperation: Plugin<ServedContext, ServedContext> = {
    onRequest({ request, serverContext }) {
      serverContext.served = (request as Request & ServedRequest).served;
    },
    onRequestParse({ serverContext, setRequestParser }) {
      const { text: query, variables, sent } = serverContext.served.exchange;
      const operationName = typeof sent.operationName === 'string' ? sent.operationName : undefined;
      setRequestParser(() => ({ query, variables, operationName }));
    },
    onParams({ context, setResult }) {
      const { refused } = context.served;
      if (refused !== null && !('results' in refused)) setResult(resultOf(refused));
    },
    onParse: ({ context, setParsedDocument }) => setParsedDocument(context.served.exchange.operation.document),
    onValidate: ({ setResult }) => setResult([]),
    onExecute: ({ setExecuteFn }) => setExecuteFn(executeIn),
    onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(executeIn),
    async onResultProcess({ result, setResult, setResultProcessor, serverContext: { served } }) {
      const { exchange, isAcceptable: isAccepted, cut } = served;
      const isStream = Symbol.asyncIterator in result;
      // Yoga's own refusals, and those of other plugins.
      if (!isStream && !Array.isArray(result) && !('stringify' in result)) {
        setResult(resultOf(await pipeline.printStreamed(result, exchange)));
      }
      const accept = acceptedBy(exchange.http.headers);
      const type = jsonTypeFor(accept);
      if (!isAccepted) return setResultProcessor(processRegularResult, type ?? 'application/json');
      if (!isStream && type !== undefined) return;
      const cuts = cut === null ? [stopping] : [stopping, cut.signal];
      if (wantsMultipart(accept)) setResultProcessor(streamIn(parts, cuts), 'multipart/mixed');
      else if (isStream) setResultProcessor(streamIn(events, cuts), 'text/event-stream');
    },
  };

  const onRequest: Plugin<ServedContext, ServedContext> = {
    async onRequest({ serverContext: { served }, fetchAPI, endResponse }) {
      const { exchange } = served;
      const passing = pipeline.pass(exchange);
      served.refused = passing instanceof Promise ? await passing : passing;
      const accept = acceptedBy(exchange.http.headers);
      const type = jsonTypeFor(accept);
      const isJson = type !== undefined && (served.refused !== null || !exchange.isSubscription);
      served.isAcceptable = isJson || isAcceptable(accept, exchange);
      // Before executing for a result that nobody could read.
      if (!served.isAcceptable) served.refused = pipeline.refuse(notAcceptable(exchange), exchange);
      if (!isEarly || (!isJson && served.isAcceptable)) return;
      const presented = served.refused ?? (await pipeline.execute(exchange));
      if ('results' in presented) throw new Error('A subscription has no response of JSON');
      served.early = await makeResponse(exchange.http, type ?? 'application/json', presented, fetchAPI);
      endResponse(served.early.response);
    },
  };
  // They know nothing of our context.
  return [onOperation, ...(plugins as readonly object[]), onRequest];
}

function isAcceptable(accept: string, { isSubscription }: Exchange): boolean {
  if (wantsMultipart(accept) || accepts(accept, 'text/event-stream')) return true;
  return !isSubscription && accepts(accept, 'multipart/mixed');
}

const json = 'application/graphql-response+json, application/json';
const streams = 'text/event-stream, multipart/mixed;subscriptionSpec=1.0';

const notAcceptable = ({ isSubscription }: Exchange) =>
  badRequest(
    isSubscription
      ? `The operation is a subscription: accept ${streams}.`
      : `Accept ${json}; for a subscription, ${streams}.`,
    // RFC 9110, section 12.5.1.
    { status: 406, headers: { Accept: `${json}, ${streams}` } },
  );
