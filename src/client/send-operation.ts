import type { Result } from './skip-failed.ts';

export interface Operation {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | undefined;
}

export interface SendOptions {
  readonly fetch?: typeof fetch;
  /** Also those of another response than JSON, such as `accept: text/event-stream` for a subscription. */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly signal?: AbortSignal;
}

/** Sends a GraphQL operation, for a page without a client. */
export function sendOperation(url: string, operation: Operation, options: SendOptions = {}): Promise<Response> {
  const { fetch: send = fetch, ...init } = options;
  const headers = new Headers(init.headers);
  headers.set('content-type', 'application/json');
  if (!headers.has('accept')) headers.set('accept', 'application/graphql-response+json, application/json');
  // An object, because wrappers of `fetch` spread it.
  const plain = Object.fromEntries(headers);
  return send(url, { ...init, method: 'POST', headers: plain, body: JSON.stringify(operation) });
}

/**
 * The result of a query or mutation.
 * @throws Error if the response is not JSON, such as that of a proxy without a gateway behind it
 */
export async function readResult<Data>(response: Response): Promise<Result<Data>> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    const { status, headers } = response;
    throw new Error(`The response with status ${status} is not JSON, but ${headers.get('content-type')}.`);
  }
}
