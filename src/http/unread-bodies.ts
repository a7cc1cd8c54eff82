import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds for a client to read the response, and for us to read on. */
export const lingerMs = 1_000;

/**
 * Lets a client that still sends a body beyond the limit read the response: closing would reset the connection and lose
 * the response (RFC 9112, section 9.6), of which a reverse proxy makes a 502. The rest of the body is discarded
 * meanwhile.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    request.resume();
    const linger = setTimeout(() => request.socket.destroy(), lingerMs);
    request.once('close', () => clearTimeout(linger));
  });
}
