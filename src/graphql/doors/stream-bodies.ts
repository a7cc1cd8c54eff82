/**
 * Bodies of subscriptions: server-sent events, of which Yoga would make a text and two copies for each stream, and
 * `multipart/mixed;subscriptionSpec=1.0` for Apollo's clients for the web, Kotlin and iOS
 * (https://www.apollographql.com/docs/graphos/routing/operations/subscriptions/multipart-protocol), which Yoga does not have.
 */
import { Readable } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';
import { beforeAbort } from '../../kernel/lib/abort-signal.ts';
import { stringify } from '../../kernel/lib/json-text.ts';
import { withoutStatus } from '../kit/errors.ts';
import type { PrintedResult } from './json-response.ts';

interface Framing {
  readonly headers: Readonly<Record<string, string>>;
  readonly begin: string;
  readonly head: string;
  readonly tail: string;
  readonly end: string;
  readonly heartbeat: string;
}

/** Some browsers wait for the first bytes of a response: a comment. */
export const events: Framing = {
  headers: { 'content-type': 'text/event-stream', 'content-encoding': 'none' },
  begin: ':\n\n',
  head: 'event: next\ndata: ',
  tail: '\n\n',
  end: 'event: complete\ndata:\n\n',
  heartbeat: ':\n\n',
};

/** Clients read a part when they see the beginning of the next (RFC 2046, section 5.1.1). */
const delimiter = '\r\n--graphql';
const partHead = '\r\ncontent-type: application/json\r\n\r\n';

/** `{"payload":{"data":…}}` for each result. */
export const parts: Framing = {
  // Apollo's client for iOS compares parameters as text: no quotes.
  headers: { 'content-type': 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0' },
  begin: delimiter,
  head: `${partHead}{"payload":`,
  tail: `}${delimiter}`,
  end: '--\r\n',
  heartbeat: `${partHead}{}${delimiter}`,
};

/** As Yoga's in event streams. Proxies close silent connections after a minute, some after half. */
const heartbeatMs = 12_000;

type Results = ExecutionResult | ExecutionResult[] | AsyncIterable<ExecutionResult>;

/** @param cuts any of them ends the body */
export const streamIn =
  (framing: Framing, cuts: readonly AbortSignal[]) =>
  (result: Results, { Response }: Pick<FetchAPI, 'Response'>): Response => {
    const results = Symbol.asyncIterator in result ? result : Readable.from([result].flat());
    const body = streamBody(results, framing, cuts) as unknown as BodyInit;
    return new Response(body, { status: 200, headers: framing.headers });
  };

/**
 * A stream of chunks that are passed on as they are: a large event's bytes are those of all its streams. Yoga's own
 * ReadableStream would join them.
 *
 * A cut ends a subscription that its client is to make again without its completion (the event `complete` or the last
 * delimiter), after which it would not come back. A body that just ends makes every client reconnect: browsers by
 * themselves (HTML, 9.2.3), graphql-sse as after a lost connection, and Apollo's clients after an error of the network,
 * if told to.
 */
export function streamBody(
  results: AsyncIterable<ExecutionResult>,
  { begin, head, tail, end, heartbeat }: Framing,
  cuts: readonly AbortSignal[],
  everyMs = heartbeatMs,
): Readable {
  const iterator = results[Symbol.asyncIterator]();
  let isReading = false;
  async function read(): Promise<void> {
    // A heartbeat makes Node ask again.
    if (isReading) return;
    isReading = true;
    const next = await beforeAbort(iterator.next(), cuts);
    isReading = false;
    if (next !== null && !next.done) {
      const json = printed(next.value);
      return typeof json === 'string' ? push(head + json + tail) : push(head, json, tail);
    }
    clearInterval(beating);
    if (next !== null) push(end);
    body.push(null);
  }
  function push(...chunks: (Uint8Array | string)[]): void {
    for (const chunk of chunks) body.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  const body = new Readable({
    objectMode: true,
    highWaterMark: 1,
    read() {
      read().catch((error: Error) => body.destroy(error));
    },
    destroy(error, callback) {
      clearInterval(beating);
      // The results end in their own time: they may wait for something that never comes.
      Promise.resolve(iterator.return?.()).catch(() => undefined);
      callback(error);
    },
  });
  // A client that has not read the last one needs no other.
  const beating = setInterval(() => body.readableLength === 0 && push(heartbeat), everyMs);
  push(begin);
  return body;
}

/** The results of the pipeline are printed already; Yoga's own refusals are not. */
function printed(result: ExecutionResult & Partial<PrintedResult>): Uint8Array | string {
  const { errors, body } = result;
  if (body !== undefined) return body;
  return stringify(errors === undefined ? result : { ...result, errors: errors.map(withoutStatus) });
}
