/** Requests to the REST face as a client sends them. */

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface RestOptions {
  /** An object is sent as JSON, a text or bytes as they are. */
  readonly body?: object | string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request; JSON unless the headers say otherwise. */
export async function rest(
  address: string,
  key: string | undefined,
  method: string,
  path: string,
  { body, headers = {} }: RestOptions = {},
): Promise<RestAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
}
