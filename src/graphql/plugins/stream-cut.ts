import type { Plugin } from 'graphql-yoga';
import { beforeAbort } from '../stream-end.ts';

/**
 * Ends streams of server-sent events when the process stops, without the event `complete`: that would say that the
 * subscription is over, and clients would not come back. A body that just ends makes every client connect again: browsers
 * do so by themselves (HTML, 9.2.3), and graphql-sse takes it for a connection that was lost.
 * @param stopping aborts when the process stops
 */
export function useStreamCut(stopping: AbortSignal): Plugin {
  return {
    onResponse({ response, setResponse, fetchAPI }) {
      const { body, headers } = response;
      if (body === null || headers.get('content-type') !== 'text/event-stream') return;
      setResponse(new fetchAPI.Response(untilAbort(body, stopping, fetchAPI.ReadableStream), response));
    },
  };
}

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
