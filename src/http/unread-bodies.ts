import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long the rest of a body is read after the response, in milliseconds. */
const lingerMs = 1_000;

/**
 * Lets a client that is still sending a body that is too large read the response. What it sends to a connection that is closed
 * resets it, and a response that the client has not read yet is lost (RFC 9112, section 9.6): a reverse proxy makes a 502 of it.
 * So the connection stays open for a while, and the rest of the body is discarded.
 */
export function discardRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    request.resume();
    const linger = setTimeout(() => request.socket.destroy(), lingerMs);
    request.once('close', () => clearTimeout(linger));
  });
}
