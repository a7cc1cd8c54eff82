/** Requests of one connection: one after the other, and the last one once the gateway stops. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/**
 * Requests waiting on one connection. A parsed request has a hundred times the memory of its bytes, and a subscription
 * may keep others waiting for hours.
 */
export const maxWaitingRequests = 100;

/** Bytes of their bodies together. node:http buffers as many of each, and nobody reads one that waits. */
export const maxWaitingBytes = 65_536;

interface Line {
  last: ServerResponse;
  waiting: number;
  bytes: number;
}

export interface Turns {
  /** Calls `start` after the responses before, unless the connection is closed by then. */
  take(response: ServerResponse, start: () => void): void;
  last(socket: Socket): ServerResponse | undefined;
}

/**
 * Serves a connection's requests one after the other. A client may send many at once (RFC 9112, section 9.3.2), and
 * node:http starts them all: hundreds in a packet would hold the event loop and the memory of their responses, which
 * leave in order all the same. More than {@link maxWaitingRequests}, or than {@link maxWaitingBytes}, close the connection.
 */
export function oneAtATime(logger: Logger): Turns {
  const lines = new WeakMap<Socket, Line>();
  const take: Turns['take'] = (response, start) => {
    const { socket } = response.req;
    // The rest of its packet is parsed even so.
    if (socket.destroyed) return;
    const line = lines.get(socket);
    if (line === undefined || line.last.closed) {
      lines.set(socket, { last: response, waiting: 0, bytes: 0 });
      return start();
    }
    const bytes = bufferedBytesOf(response.req);
    if (line.waiting === maxWaitingRequests || line.bytes + bytes > maxWaitingBytes) {
      logger.info({ reason: 'Too many requests wait on it.' }, 'connection closed');
      socket.destroy();
      return;
    }
    const before = line.last;
    line.last = response;
    line.waiting += 1;
    line.bytes += bytes;
    // A turn of the event loop between: responses sent at once would serve a whole packet while other connections wait.
    before.once('close', () =>
      setImmediate(() => {
        line.waiting -= 1;
        line.bytes -= bytes;
        if (!socket.destroyed) start();
      }),
    );
  };
  return { take, last: (socket) => lines.get(socket)?.last };
}

/** At most. */
const bufferedBytesOf = ({ headers }: IncomingMessage): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), maxWaitingBytes)
    : maxWaitingBytes;

export const closingWhile = (draining: AbortSignal, Response: typeof ServerResponse): typeof ServerResponse =>
  class<Request extends IncomingMessage> extends Response<Request> {
    // Two forms of arguments, passed on as they are.
    override writeHead(...args: [number, ...never[]]): this {
      if (draining.aborted) this.shouldKeepAlive = false;
      return super.writeHead(...args);
    }
  };
