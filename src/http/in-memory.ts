/** Requests within the process: over connections that the server takes for those of a socket, with all of its limits. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { type Duplex, duplexPair, pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Logger } from 'pino';
import { retrySoon, ServiceError, toEnvelope } from '../kernel/errors.ts';
import { onAbort } from '../kernel/lib/abort-signal.ts';
import { stringify } from '../kernel/lib/json-text.ts';
import { http } from '../kernel/lib/node-http.ts';
import { jsonType } from './send.ts';

/** Address of a client that does not tell its own. */
const thisMachine = '127.0.0.1';

/** Bytes that a side takes at once. */
const pieceBytes = 65_536;

/** Headers of a connection, and not of what is sent over it (RFC 9110, section 7.6.1). */
const ofConnection: ReadonlySet<string> = new Set([
  ...['connection', 'expect', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

interface InMemoryInit extends RequestInit {
  /** Address of the client, which limits count by; this machine's if left out. */
  readonly address?: string | undefined;
}

export type InMemoryFetch = (input: Request | URL | string, init?: InMemoryInit) => Promise<Response>;

/** The sides of a connection, which the server takes for a socket of this address. */
function connect(address: string): readonly [client: Duplex, server: Duplex] {
  const [client, server] = duplexPair({ highWaterMark: pieceBytes });
  let bytesTaken = 0;
  const write = server._write.bind(server);
  // Piece by piece: a client that does not read takes no more than a socket would.
  server._write = (chunk: Buffer, encoding, done) => {
    const piece = chunk.subarray(0, pieceBytes);
    write(piece, encoding, (error) => {
      bytesTaken += piece.length;
      if (error || piece.length === chunk.length) done(error);
      else server._write(chunk.subarray(pieceBytes), encoding, done);
    });
  };
  Object.defineProperties(server, { remoteAddress: { value: address }, bytesTaken: { get: () => bytesTaken } });
  client.once('close', () => server.destroy());
  // What has arrived can still be read. Nobody will read what the client writes.
  server.once('close', () => client.destroyed || client.push(null));
  return [client, server];
}

interface Sent {
  readonly address: string | undefined;
  readonly method: string;
  readonly path: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: Readable | null;
  /** Called when the server takes no more of the body. */
  readonly leave: () => void;
  /** Ends the exchange. */
  readonly signal: AbortSignal;
}

/** Rejects when the connection ends without a response, or with the reason of the signal. */
function send(
  server: Server,
  { address = thisMachine, method, path, headers, body, leave, signal }: Sent,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = http.request({
    method,
    path,
    headers: [...withoutConnection(headers), ...framing(method, body, headers)],
    createConnection() {
      const [client, connection] = connect(address);
      server.emit('connection', connection);
      return client;
    },
  });
  let ending: { destroy(error: Error): unknown } = outgoing;
  // Errors after the response are those of its body, too.
  outgoing.on('error', reject).once('response', (response) => {
    ending = response;
    resolve(response);
  });
  onAbort(signal, () => ending.destroy(signal.reason));
  outgoing.once('close', leave);
  if (body === null) outgoing.end();
  // No pipeline: it would break off a response that comes before the end of the body.
  else body.once('error', (error) => outgoing.destroy(error)).pipe(outgoing);
  return promise;
}

/** How the end of a body is told, where its sender has not told its length. */
function framing(method: string, body: Readable | null, headers: readonly string[]): readonly string[] {
  if (headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length')) return [];
  if (body !== null) return ['transfer-encoding', 'chunked'];
  return ['POST', 'PUT', 'PATCH'].includes(method) ? ['content-length', '0'] : [];
}

const withoutConnection = (headers: readonly string[]): string[] =>
  headers.filter((_, at) => !ofConnection.has((headers[at - (at % 2)] ?? '').toLowerCase()));

/** `fetch` of the server, listening or not. Paths are enough: `fetch('/graphql')`. */
export const fetchFrom =
  (server: Server): InMemoryFetch =>
  async (input, { address, ...init } = {}) => {
    const isWhole = typeof input === 'object' && 'headers' in input && Object.keys(init).length === 0;
    const request = isWhole
      ? input
      : new Request(typeof input === 'string' ? new URL(input, 'http://localhost') : input, init);
    const { method, url, headers, body, signal } = request;
    const { host, pathname, search } = new URL(url);
    // A length that is not that of the body would have the server wait for the rest.
    const told = [...headers].filter(([name]) => name !== 'content-length');
    // One class, with two types.
    const sent = body && Readable.fromWeb(body as NodeStream);
    const response = await send(server, {
      address,
      method,
      path: pathname + search,
      headers: [...(headers.has('host') ? [] : ['host', host]), ...told.flat()],
      body: sent,
      leave: () => sent?.destroy(),
      signal,
    });
    return toResponse(response, method);
  };

function toResponse(incoming: IncomingMessage, method: string): Response {
  const { statusCode: status = 500, statusMessage: statusText = '' } = incoming;
  const headers = new Headers();
  const sent = withoutConnection(incoming.rawHeaders);
  for (const [at, name] of sent.entries()) if (at % 2 === 0) headers.append(name, sent[at + 1] ?? '');
  const hasBody = method !== 'HEAD' && ![204, 205, 304].includes(status);
  if (!hasBody) incoming.resume();
  return new Response(hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null, { status, statusText, headers });
}

const unserved = () =>
  new ServiceError('service_unavailable', { detail: 'The gateway ended the request: it may have stopped.' });

/** Serves what another server of Node.js has received. @throws Error if something has read the body before */
export const listenerFor =
  (server: Server, logger: Logger): RequestListener =>
  (raw, response) => {
    const { method = 'GET', rawHeaders, socket, headers } = raw;
    const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
    if (hasBody && raw.readableDidRead)
      throw new Error('The body has been read already: mount the gateway before what parses bodies');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // Express leaves out the path at which it mounts.
    const { originalUrl: path = raw.url ?? '/' } = raw as { readonly originalUrl?: string };
    send(server, {
      address: socket.remoteAddress,
      method,
      path,
      headers: rawHeaders,
      body: hasBody ? raw : null,
      leave: () => raw.unpipe().resume(),
      signal: gone.signal,
    })
      .then((incoming) => {
        response.writeHead(incoming.statusCode ?? 500, withoutConnection(incoming.rawHeaders));
        pipeline(incoming, response, (error) => error && response.destroy());
      })
      .catch((err: unknown) => {
        // The client has gone.
        if (response.closed) return;
        const id = randomUUID();
        logger.error({ err, reqId: id }, 'a request could not be served');
        if (response.headersSent) response.destroy();
        else
          response
            .writeHead(503, { 'content-type': jsonType, ...retrySoon })
            .end(stringify(toEnvelope(unserved(), id)));
      });
  };
