/** Bytes on a connection, for requests that no HTTP client sends. */
import { connect } from 'node:net';

/**
 * Sends bytes that need not be HTTP, and reads until the server closes the connection: a request that is valid must ask for
 * that. Our own half stays open, because node:http takes its end for a client that has gone.
 */
export async function sendBytes(address: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
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
