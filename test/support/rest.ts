/** Requests to the REST face as a client sends them. */
import { request } from 'node:http';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface RestOptions {
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: object | string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one request; its body is JSON unless the headers say otherwise. Over `node:http`, as `fetch` would repair the
 * path before it sends it.
 */
export async function rest(
  address: string,
  key: string | undefined,
  method: string,
  path: string,
  { body, headers = {} }: RestOptions = {},
): Promise<RestAnswer> {
  const { hostname, port } = new URL(address);
  const sent = typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body;
  const outgoing = request({
    host: hostname,
    port,
    method,
    path,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }),
      ...headers,
    },
  });
  const answered = Promise.withResolvers<RestAnswer>();
  outgoing.once('error', answered.reject);
  outgoing.once('response', async (response) => {
    const text = (await response.setEncoding('utf8').toArray()).join('');
    const received = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
    answered.resolve({
      status: response.statusCode ?? 0,
      headers: new Headers(received),
      text,
      body: text === '' ? null : JSON.parse(text),
    });
  });
  outgoing.end(sent);
  return answered.promise;
}
