/** Requests to the REST face as a client sends them. */
import { request } from 'node:http';
import { type EndpointName, pathParameters } from '../../src/kernel/endpoint.ts';
import { endpoints, prefixes } from '../../src/rest/endpoints.ts';

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape
  readonly body: any;
}

export interface RestOptions {
  /** An object is sent as JSON; text and bytes as they are. */
  readonly body?: object | string | Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends one request. Its body is JSON unless the headers say otherwise. Over `node:http`, as `fetch` would repair the
 * path before it sends it.
 */
export async function rest(
  address: string,
  key: string | undefined,
  method: string,
  path: string,
  { body, headers = {} }: RestOptions = {},
): Promise<RestResponse> {
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
  const received = Promise.withResolvers<RestResponse>();
  outgoing.once('error', received.reject);
  outgoing.once('response', async (response) => {
    const text = (await response.setEncoding('utf8').toArray()).join('');
    const pairs = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
    received.resolve({
      status: response.statusCode ?? 0,
      headers: new Headers(pairs),
      text,
      // Not before it is asked for: a stream's is no JSON.
      get body() {
        return text === '' ? null : JSON.parse(text);
      },
    });
  });
  outgoing.end(sent);
  return received.promise;
}

/** A request in the contract's terms: the path parameters, the query and the fields of the body as one flat object. */
export type FlatRequest = Readonly<Record<string, unknown>>;

/** Calls an endpoint of the contract. */
export function callEndpoint(
  address: string,
  key: string | undefined,
  name: EndpointName,
  flatRequest: FlatRequest,
  headers: RestOptions['headers'] = {},
): Promise<RestResponse> {
  const endpoint = endpoints.find((each) => each.name === name);
  if (endpoint === undefined) throw new Error(`No endpoint has the name ${name}`);
  const ids = pathParameters(endpoint);
  const others = Object.entries(flatRequest).filter(([field]) => !ids.includes(field));
  const query = new URLSearchParams(endpoint.query ? others.map(([field, value]) => [field, String(value)]) : []);
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, id) => encodeURIComponent(String(flatRequest[id])));
  return rest(address, key, endpoint.method, `${prefixes[0]}${path}${query.size === 0 ? '' : `?${query}`}`, {
    body: endpoint.body ? Object.fromEntries(others) : undefined,
    headers,
  });
}
