import type { FetchAPI } from 'graphql-yoga';
import { beforeAbort } from '../executors/stream-end.ts';

/** The media types of subscriptions: server-sent events, and those of multipart-subscriptions.ts. */
const streamTypes = /^(?:text\/event-stream|multipart\/mixed)\b/;

/**
 * Ends subscriptions when the process stops, without what completes them, the event `complete` or the last delimiter: that
 * would say that the subscription is over, and clients would not come back. A body that just ends makes every client connect
 * again: browsers do so by themselves (HTML, 9.2.3), graphql-sse takes it for a connection that was lost, and Apollo's
 * clients for an error of the network, which they repeat if they are told to.
 * @param stopping aborts when the process stops
 * @returns null for a response that is no stream
 */
export function cutAt(
  stopping: AbortSignal,
  { body, headers, status }: Response,
  { Response, ReadableStream: Stream }: Pick<FetchAPI, 'Response' | 'ReadableStream'>,
): Response | null {
  if (body === null || !streamTypes.test(headers.get('content-type') ?? '')) return null;
  // nginx would gather results until they fill a buffer. It takes this header away.
  headers.set('x-accel-buffering', 'no');
  // Yoga would keep the connection of a client that asked to close it.
  headers.delete('connection');
  return new Response(untilAbort(body, stopping, Stream), { headers, status: isFinal(status) ? 200 : status });
}

/**
 * Whether to repeat a request is of no use. The event with the error says why; but graphql-sse and `EventSource` read no event of
 * a response that has another status than 200, and graphql-sse repeats the request for half a minute first.
 */
const isFinal = (status: number): boolean => status >= 400 && status < 500;

function untilAbort(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  Stream: typeof ReadableStream,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new Stream({
    async pull(controller) {
      const chunk = signal.aborted ? null : await beforeAbort(reader.read(), signal);
      if (chunk !== null && !chunk.done) return controller.enqueue(chunk.value);
      controller.close();
      if (chunk === null) await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
