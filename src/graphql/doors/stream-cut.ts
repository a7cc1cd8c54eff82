/** Responses that are written as they come. */
import { pipeline } from 'node:stream/promises';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import { beforeAbort } from '../../kernel/lib/abort-signal.ts';

/** Of subscriptions: server-sent events, and those of multipart-subscriptions.ts. */
const streamTypes = /^(?:text\/event-stream|multipart\/mixed)\b/;

/**
 * Ends subscriptions that clients are to make again without their completion (the event `complete` or the last
 * delimiter), after which they would not come back. A body that just ends makes every client reconnect: browsers by
 * themselves (HTML, 9.2.3), graphql-sse as after a lost connection, and Apollo's clients after an error of the network,
 * if told to.
 * @param cuts any of them ends a stream: the process stops, or the subscription failed for now
 */
export async function sendStream(
  http: IncomingRequest,
  { status, body, headers }: Response,
  cuts: readonly AbortSignal[],
): Promise<void> {
  const isStream = streamTypes.test(headers.get('content-type') ?? '');
  if (isStream) {
    // nginx would gather results until they fill a buffer. It takes this header away.
    headers.set('x-accel-buffering', 'no');
    // Yoga would keep a connection that its client asked to close, and let a cache store the stream.
    for (const name of ['connection', 'cache-control']) headers.delete(name);
  }
  const sent = isStream && isFinal(status) ? 200 : status;
  if (body === null || http.response.closed) return http.send(sent, headersOf(headers));
  http.response.writeHead(sent, { ...http.ownHeaders, ...headersOf(headers) });
  await pipeline(chunksOf(body, http, isStream ? cuts : []), http.response).catch((error: unknown) => {
    if (!http.response.closed) throw error;
  });
}

export function headersOf(headers: Headers): Record<string, string> {
  const entries: Record<string, string> = {};
  headers.forEach((value, name) => {
    entries[name.toLowerCase()] = value;
  });
  return entries;
}

/** Whether repeating is of no use: graphql-sse and `EventSource` read no error event with another status than 200. */
const isFinal = (status: number): boolean => status >= 400 && status < 500;

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  http: IncomingRequest,
  cuts: readonly AbortSignal[],
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  // The generator itself would end with the next chunk only.
  http.whenClosed(() => {
    reader.cancel().catch(() => undefined);
  });
  let chunk = await beforeAbort(reader.read(), cuts);
  for (; chunk !== null && !chunk.done; chunk = await beforeAbort(reader.read(), cuts)) yield chunk.value;
  if (chunk === null) await reader.cancel();
}
