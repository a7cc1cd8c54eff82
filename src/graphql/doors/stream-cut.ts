import type { FetchAPI } from 'graphql-yoga';
import { beforeAbort } from '../../kernel/lib/abort-signal.ts';

/** Of subscriptions: server-sent events, and those of multipart-subscriptions.ts. */
const streamTypes = /^(?:text\/event-stream|multipart\/mixed)\b/;

/**
 * Ends subscriptions that clients are to make again without their completion (the event `complete` or the last
 * delimiter), after which they would not come back. A body that just ends makes every client reconnect: browsers by
 * themselves (HTML, 9.2.3), graphql-sse as after a lost connection, and Apollo's clients after an error of the network,
 * if told to.
 * @param cuts any of them ends it: the process stops, or the subscription failed for now
 * @returns null for a response that is no stream
 */
export function cutAt(
  cuts: readonly AbortSignal[],
  { body, headers, status }: Response,
  { Response, ReadableStream: Stream }: Pick<FetchAPI, 'Response' | 'ReadableStream'>,
): Response | null {
  if (body === null || !streamTypes.test(headers.get('content-type') ?? '')) return null;
  // nginx would gather results until they fill a buffer. It takes this header away.
  headers.set('x-accel-buffering', 'no');
  // Yoga would keep a connection that its client asked to close.
  headers.delete('connection');
  return new Response(untilCut(body, cuts, Stream), { headers, status: isFinal(status) ? 200 : status });
}

/** Whether repeating is of no use: graphql-sse and `EventSource` read no error event with another status than 200. */
const isFinal = (status: number): boolean => status >= 400 && status < 500;

function untilCut(
  body: ReadableStream<Uint8Array>,
  cuts: readonly AbortSignal[],
  Stream: typeof ReadableStream,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new Stream({
    async pull(controller) {
      const chunk = await beforeAbort(reader.read(), cuts);
      if (chunk !== null && !chunk.done) return controller.enqueue(chunk.value);
      controller.close();
      if (chunk === null) await reader.cancel();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
