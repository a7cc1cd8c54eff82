/** Bytes on a connection, for requests that no HTTP client sends. */
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';

/**
 * Sends bytes that need not be HTTP, and reads until the server closes the connection: a request that is valid must ask for
 * that. Our own half stays open, because node:http takes its end for a client that has gone.
 */
export async function sendBytes(address: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(address);
  return textOf(connect(Number(port), hostname), bytes);
}

/** Sends bytes as {@link sendBytes} does, over a connection of which the server believes that it comes from an address. */
export async function sendBytesFrom(remoteAddress: string, server: Server, bytes: string): Promise<string> {
  const [ours, theirs] = duplexPair();
  server.emit('connection', Object.assign(theirs, { remoteAddress }));
  return textOf(ours, bytes);
}

async function textOf(socket: Duplex, bytes: string | Uint8Array): Promise<string> {
  socket.setEncoding('latin1').write(bytes);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

/** The headers of the first response in a text. */
export function headersIn(text: string): Headers {
  const [, ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  return new Headers(
    lines.map((line): [string, string] => [line.split(': ', 1)[0] as string, line.replace(/^.*?: /, '')]),
  );
}
