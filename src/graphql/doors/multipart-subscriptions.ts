/**
 * Bodies of subscriptions. Yoga's server-sent events would copy a printed result three times for each stream, so these
 * are written here, too. And subscriptions as `multipart/mixed;subscriptionSpec=1.0`, for Apollo's clients for the web, Kotlin and iOS
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol). Yoga has
 * `multipart/mixed` for `@defer` only.
 */
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { stringify } from '../../kernel/lib/json-text.ts';
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

const eventHeaders = { 'content-type': 'text/event-stream', 'content-encoding': 'none' } as const;

export function eventsResponse(
  result: ExecutionResult | ExecutionResult[] | AsyncIterable<ExecutionResult>,
  { Response, ReadableStream: Stream }: FetchAPI,
): Response {
  const results = Symbol.asyncIterator in result ? result : each([result].flat());
  return new Response(streamBody(results, events, { Stream, heartbeatMs }), { status: 200, headers: eventHeaders });
}

/** The results of the pipeline are printed already; Yoga's own refusals are not. */
function printed(result: ExecutionResult & { readonly body?: Uint8Array | string }): Uint8Array | string {
  const { errors, body } = result;
  if (body !== undefined) return body;
  return stringify(errors === undefined ? result : { ...result, errors: errors.map(withoutStatus) });
}

async function* each(results: readonly ExecutionResult[]): AsyncGenerator<ExecutionResult> {
  yield* results;
}

/** Clients read a part when they see the beginning of the next (RFC 2046, section 5.1.1). */
const delimiter = '\r\n--graphql';
const partHead = '\r\ncontent-type: application/json\r\n\r\n';

interface Framing {
  readonly begin: string;
  readonly head: string;
  readonly tail: string;
  readonly end: string;
  readonly heartbeat: string;
}

const parts: Framing = {
  begin: delimiter,
  head: `${partHead}{"payload":`,
  tail: `}${delimiter}`,
  end: '--\r\n',
  heartbeat: `${partHead}{}${delimiter}`,
};

/** Some browsers wait for the first bytes of a response: a comment. */
const events: Framing = {
  begin: ':\n\n',
  head: 'event: next\ndata: ',
  tail: '\n\n',
  end: 'event: complete\ndata:\n\n',
  heartbeat: ':\n\n',
};

/** `{"payload":{"data":…}}` for each result, and `{}` every `heartbeatMs` while nothing is read behind them. */
export const multipartBody = (results: AsyncIterable<ExecutionResult>, options: BodyOptions) =>
  streamBody(results, parts, options);

interface BodyOptions {
  readonly Stream: typeof ReadableStream;
  readonly heartbeatMs: number;
}

function streamBody(
  results: AsyncIterable<ExecutionResult>,
  { begin, head, tail, end, heartbeat }: Framing,
  { Stream, heartbeatMs: everyMs }: BodyOptions,
): ReadableStream<Uint8Array> {
  const iterator = results[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let beating: NodeJS.Timeout;
  return new Stream({
    start(controller) {
      controller.enqueue(encoder.encode(begin));
      beating = setInterval(() => {
        // A client that has not read the last one needs no other.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(heartbeat));
      }, everyMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (!done) {
          const body = printed(value);
          if (typeof body === 'string') return controller.enqueue(encoder.encode(`${head}${body}${tail}`));
          // Large: its bytes are those of all streams that get it.
          for (const chunk of [encoder.encode(head), body, encoder.encode(tail)]) controller.enqueue(chunk);
          return;
        }
        clearInterval(beating);
        controller.enqueue(encoder.encode(end));
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
