import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Serves the requests of a connection one after the other. A client may send many before it reads a response (RFC 9112,
 * section 9.3.2), and node:http starts them all: a few hundred in one packet would hold the event loop and the memory for
 * as many responses, which leave in their order all the same.
 * @returns calls `start` when the responses before are sent; not at all if the connection is closed by then
 */
export function oneAtATime(): (socket: Socket, response: ServerResponse, start: () => void) => void {
  const last = new WeakMap<Socket, ServerResponse>();
  return (socket, response, start) => {
    const before = last.get(socket);
    last.set(socket, response);
    if (before === undefined || before.closed) return start();
    before.once('close', () => {
      if (!socket.destroyed) start();
    });
  };
}
