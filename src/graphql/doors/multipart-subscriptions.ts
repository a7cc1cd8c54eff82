/**
 * Subscriptions as `multipart/mixed;subscriptionSpec=1.0`, for Apollo's clients for the web, Kotlin and iOS
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol). Yoga has
 * `multipart/mixed` for `@defer` only.
 */
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { withoutStatus } from '../kit/errors.ts';

/** As Yoga's in event streams. Proxies close silent connections after a minute, some after half. */
const heartbeatMs = 12_000;

/** Accepted before any other protocol of subscriptions. As in Yoga, `q` has no weight. */
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

/** Apollo's client for iOS compares parameters as text: no quotes. */
const multipartType = 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0';

export function multipartResponse(
  result: ExecutionResult | ExecutionResult[] | AsyncIterable<ExecutionResult>,
  { Response, ReadableStream: Stream }: FetchAPI,
): Response {
  const results = Symbol.asyncIterator in result ? result : each([result].flat());
  const body = multipartBody(results, { Stream, heartbeatMs });
  return new Response(body, { status: 200, headers: { 'content-type': multipartType } });
}

/** The results of the pipeline are printed already; Yoga's own refusals are not. */
function printed(result: ExecutionResult & { readonly stringify?: () => string }): string {
  const { errors, stringify } = result;
  if (stringify !== undefined) return stringify();
  return JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(withoutStatus) });
}

async function* each(results: readonly ExecutionResult[]): AsyncGenerator<ExecutionResult> {
  yield* results;
}

/** Clients read a part when they see the beginning of the next (RFC 2046, section 5.1.1). */
const delimiter = '\r\n--graphql';
const part = (content: string): string => `\r\ncontent-type: application/json\r\n\r\n${content}${delimiter}`;
const heartbeat = part('{}');

/** `{"payload":{"data":…}}` for each result, and `{}` every `heartbeatMs` while nothing is read behind them. */
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
