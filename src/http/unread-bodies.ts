/** Responses to requests whose body was not read to its end: those that are refused because it is too large. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** How long the rest of a body is read after the response, in milliseconds. */
const lingerMs = 1_000;

/**
 * Lets a client that is still sending its body read the response. After `Connection: close`, which Fastify asks for, node:http
 * closes the connection at once. What the client sends after that resets it, and a response that the client has not read yet is
 * lost (RFC 9112, section 9.6): a reverse proxy makes a 502 of it. So the connection stays open, and the rest of the body is
 * discarded.
 */
export function discardUnreadBodies(server: FastifyInstance): void {
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (!raw.complete && reply.getHeader('connection') === 'close') {
      reply.removeHeader('connection');
      discardRest(raw, reply.raw);
    }
    done(null, payload);
  });
}

function discardRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    request.resume();
    const linger = setTimeout(() => request.socket.destroy(), lingerMs);
    request.once('close', () => clearTimeout(linger));
  });
}
