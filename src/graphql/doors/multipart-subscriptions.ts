/**
 * Subscriptions as `multipart/mixed;subscriptionSpec=1.0`, for Apollo's clients for the web, Kotlin and iOS
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol). Yoga has
 * `multipart/mixed` for `@defer` only.
 */
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import type { PrintedResult } from './json-response.ts';

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
  const body = multipartBody(results as AsyncIterable<PrintedResult>, { Stream, heartbeatMs });
  return new Response(body, { status: 200, headers: { 'content-type': multipartType } });
}

async function* each(results: readonly ExecutionResult[]): AsyncGenerator<ExecutionResult> {
  yield* results;
}

/** Clients read a part when they see the beginning of the next (RFC 2046, section 5.1.1). */
const delimiter = '\r\n--graphql';
const partHead = '\r\ncontent-type: application/json\r\n\r\n';

interface BodyOptions {
  readonly Stream: typeof ReadableStream;
  readonly heartbeatMs: number;
}

/** `{"payload":{"data":…}}` for each result, and `{}` every `heartbeatMs` while nothing is read behind them. */
export function multipartBody(
  results: AsyncIterable<Pick<PrintedResult, 'body'>>,
  { Stream, heartbeatMs: everyMs }: BodyOptions,
): ReadableStream<Uint8Array> {
  const iterator = results[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let beating: NodeJS.Timeout;
  return new Stream({
    start(controller) {
      controller.enqueue(encoder.encode(delimiter));
      beating = setInterval(() => {
        // A client that has not read the last one needs no other.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(`${partHead}{}${delimiter}`));
      }, everyMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (!done) {
          const { body } = value;
          const [head, tail] = [`${partHead}{"payload":`, `}${delimiter}`];
          // Bytes are those of all streams that get them.
          const chunks =
            typeof body === 'string'
              ? [encoder.encode(head + body + tail)]
              : [encoder.encode(head), body, encoder.encode(tail)];
          for (const chunk of chunks) controller.enqueue(chunk);
          return;
        }
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
