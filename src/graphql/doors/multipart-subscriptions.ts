/**
 * Subscriptions as `multipart/mixed;subscriptionSpec=1.0`, the protocol of Apollo's clients for the web, Kotlin and iOS
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol). Yoga knows
 * `multipart/mixed` for `@defer` only; server-sent events are its own.
 */
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { withoutStatus } from '../kit/error-extensions.ts';

/** As often as Yoga sends one in a stream of events. Proxies close what is silent for a minute, some for half of one. */
const heartbeatMs = 12_000;

/** Whether a client accepts this protocol, and none for subscriptions before it. As in Yoga, `q` has no weight. */
export function wantsMultipart(accept: string): boolean {
  const protocol = accept
    .replaceAll(/[\s"]/g, '')
    .toLowerCase()
    .split(',')
    .find((range) => range.startsWith('text/event-stream') || isMultipart(range));
  return protocol !== undefined && isMultipart(protocol);
}

const isMultipart = (range: string): boolean => {
  const [type, ...parameters] = range.split(';');
  return type === 'multipart/mixed' && parameters.includes('subscriptionspec=1.0');
};

/** Apollo's client for iOS compares the parameters as text: neither has quotes. */
const contentType = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0';

/** Writes the results of a subscription, or a refusal. */
export function multipartResponse(
  result: ExecutionResult | ExecutionResult[] | AsyncIterable<ExecutionResult>,
  { Response, ReadableStream: Stream }: FetchAPI,
): Response {
  const results = Symbol.asyncIterator in result ? result : each([result].flat());
  const body = multipartBody(results, { Stream, heartbeatMs });
  return new Response(body, { status: 200, headers: { 'content-type': contentType } });
}

async function* each(results: readonly ExecutionResult[]): AsyncGenerator<ExecutionResult> {
  yield* results;
}

/** Ends each part: clients read a part when they see the beginning of the next one (RFC 2046, section 5.1.1). */
const delimiter = '\r\n--graphql';
const part = (content: string): string => `\r\ncontent-type: application/json\r\n\r\n${content}${delimiter}`;
const heartbeat = part('{}');

/**
 * The parts of a subscription: `{"payload":{"data":…}}` for each result, and `{}` for as long as nothing is read behind them.
 * @param heartbeatMs the time from one `{}` to the next, in milliseconds
 */
export function multipartBody(
  results: AsyncIterable<ExecutionResult>,
  { Stream, heartbeatMs: everyMs }: { readonly Stream: typeof ReadableStream; readonly heartbeatMs: number },
): ReadableStream<Uint8Array> {
  const iterator = results[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let beating: NodeJS.Timeout;
  return new Stream({
    start(controller) {
      controller.enqueue(encoder.encode(delimiter));
      beating = setInterval(() => {
        // A client that has not read the last one needs no other.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(heartbeat));
      }, everyMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (!done) return controller.enqueue(encoder.encode(part(`{"payload":${printed(value)}}`)));
        clearInterval(beating);
        controller.enqueue(encoder.encode('--\r\n'));
        controller.close();
      } catch (error) {
        clearInterval(beating);
        throw error;
      }
    },
    async cancel() {
      clearInterval(beating);
      await iterator.return?.();
    },
  });
}

/** A result as clients get it. */
function printed(result: ExecutionResult & { readonly stringify?: () => string }): string {
  const { errors, stringify } = result;
  if (stringify !== undefined) return stringify();
  return JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(withoutStatus) });
}
