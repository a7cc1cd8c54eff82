import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/**
 * Requests of one connection that may wait behind the one that is served. A parsed request has a hundred times the memory
 * of its bytes, and the first may be a subscription, which keeps the others waiting for hours.
 */
export const maxWaitingRequests = 100;

interface Line {
  last: ServerResponse;
  waiting: number;
}

export interface Turns {
  /** Calls `start` when the responses before are sent; not at all if the connection is closed by then. */
  take(response: ServerResponse, start: () => void): void;
  /** The response to the last request of a connection so far. */
  last(socket: Socket): ServerResponse | undefined;
}

/**
 * Serves the requests of a connection one after the other. A client may send many before it reads a response (RFC 9112,
 * section 9.3.2), and node:http starts them all: a few hundred in one packet would hold the event loop and the memory for
 * as many responses, which leave in their order all the same. A connection on which {@link maxWaitingRequests} wait is
 * closed with the next.
 */
export function oneAtATime(logger: Logger): Turns {
  const lines = new WeakMap<Socket, Line>();
  const take: Turns['take'] = (response, start) => {
    const { socket } = response.req;
    // The rest of a packet is parsed even so.
    if (socket.destroyed) return;
    const line = lines.get(socket);
    if (line === undefined || line.last.closed) {
      lines.set(socket, { last: response, waiting: 0 });
      return start();
    }
    if (line.waiting === maxWaitingRequests) {
      logger.info({ reason: 'Too many requests wait on it.' }, 'connection closed');
      socket.destroy();
      return;
    }
    const before = line.last;
    line.last = response;
    line.waiting += 1;
    // A response that is sent at once is closed before the event loop turns: without a break, a packet of requests would
    // be served to its end while every other connection waits.
    before.once('close', () =>
      setImmediate(() => {
        line.waiting -= 1;
        if (!socket.destroyed) start();
      }),
    );
  };
  return { take, last: (socket) => lines.get(socket)?.last };
}
