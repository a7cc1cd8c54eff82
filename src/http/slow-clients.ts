/**
 * Responses that wait in memory for clients that do not read. What the network has not taken of a response is kept until
 * it does, and a client may read as slowly as it likes, on as many connections as it likes.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';

export interface WaitingLimits {
  /** Bytes of all responses that wait. Beyond it those that have waited longest are cut off; the newest never is. */
  readonly maxBytes: number;
  /** How long a response waits for a client that takes none of it, in milliseconds. */
  readonly stallMs: number;
}

export const waitingLimits: WaitingLimits = { maxBytes: 128 * 1_024 * 1_024, stallMs: 30_000 };

/** For a longer text node:http reserves three bytes a character, and keeps the text too. */
const maxTextCharacters = 16_384;

const inBytes = (chunk: unknown, encoding: unknown): unknown =>
  typeof chunk === 'string' && chunk.length > maxTextCharacters
    ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
    : chunk;

type Callback = (error?: Error | null) => void;

/** @returns the class of the server's responses, which together keep the limits */
export function limitWaiting({ maxBytes, stallMs }: WaitingLimits, logger: Logger): typeof ServerResponse {
  /** In the order in which they began to wait. One whose client has caught up waits no more. */
  const waiting = new Set<ServerResponse>();
  /** Those that have waited at some time: a stream may wait again and again, and is told of by the same listeners. */
  const watched = new WeakSet<ServerResponse>();

  const cutOff = (response: ServerResponse, reason: string) => {
    waiting.delete(response);
    logger.info({ reqId: response.getHeader('x-request-id'), reason }, 'response cut off');
    response.socket?.destroy();
  };

  function watch(response: ServerResponse): void {
    watched.add(response);
    response.once('close', () => waiting.delete(response));
    // The timer of a socket starts anew whenever the network takes something.
    response.setTimeout(stallMs, () => {
      if (bytesOf(response) > 0) cutOff(response, 'The client does not read.');
    });
  }

  function wait(response: ServerResponse): void {
    const { socket } = response;
    if (!socket?.writableNeedDrain) return;
    if (!watched.has(response)) watch(response);
    if (!waiting.has(response)) {
      waiting.add(response);
      socket.once('drain', () => waiting.delete(response));
    }
    let bytes = 0;
    for (const each of waiting) bytes += bytesOf(each);
    for (const oldest of waiting) {
      if (bytes <= maxBytes || oldest === response) return;
      bytes -= bytesOf(oldest);
      cutOff(oldest, 'Too many responses wait for clients.');
    }
  }

  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
      const isTaken = super.write(inBytes(chunk, encoding), encoding as BufferEncoding, callback);
      wait(this);
      return isTaken;
    }
    override end(chunk?: unknown, encoding?: BufferEncoding | (() => void), callback?: () => void): this {
      super.end(inBytes(chunk, encoding), encoding as BufferEncoding, callback);
      wait(this);
      return this;
    }
  };
}

const bytesOf = ({ socket }: ServerResponse): number => socket?.writableLength ?? 0;
