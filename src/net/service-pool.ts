/**
 * Connections to a service that the operator has configured. Its address may be private: such a service is usually on an
 * intranet. Each request brings its own deadline as a signal.
 *
 * Requests are dispatched with a handler of our own, which keeps the chunks of a body as they arrive: undici's `request`
 * makes a stream of them first, which costs as much as the rest of an exchange.
 */
import { type Dispatcher, Pool } from 'undici';

export interface ServiceRequest {
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

export type ServiceResponse = WholeResponse | BrokenResponse;

export interface WholeResponse {
  readonly kind: 'whole';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The chunks, as they arrived. */
  readonly body: readonly Uint8Array[];
}

export interface BrokenResponse {
  readonly kind: 'broken';
  /** Null if no response began. */
  readonly status: number | null;
  /** The error as undici reports it, or the reason of the signal. */
  readonly cause: unknown;
}

export interface ServicePool {
  /** Sends a request and reads the whole response. It never rejects. */
  send(request: ServiceRequest): Promise<ServiceResponse>;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/** @param options.maxBytes a larger response body breaks off with UND_ERR_RES_EXCEEDED_MAX_SIZE */
export function openServicePool(
  origin: string,
  { connections, maxBytes, connectTimeoutMs }: { connections: number; maxBytes: number; connectTimeoutMs: number },
): ServicePool {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    maxResponseSize: maxBytes,
    connectTimeout: connectTimeoutMs,
    // Idle connections outlive the gaps between bursts of requests, unless the service asks for another time.
    keepAliveTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (request) => send(pool, request),
    close: () => pool.destroy(),
  };
}

function send(pool: Dispatcher, { signal, ...request }: ServiceRequest): Promise<ServiceResponse> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let started: Pick<WholeResponse, 'status' | 'headers'> | null = null;
    const body: Uint8Array[] = [];
    const settle = (response: ServiceResponse) => {
      signal.removeEventListener('abort', abort);
      resolve(response);
    };
    const fail = (cause: unknown) => settle({ kind: 'broken', status: started?.status ?? null, cause });
    // A request that waits for a connection has no controller yet. It ends now, and is aborted when its turn comes.
    const abort = () => (controller === undefined ? fail(signal.reason) : controller.abort(signal.reason));
    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    pool.dispatch(request, {
      onRequestStart(startedBy) {
        controller = startedBy;
        if (signal.aborted) startedBy.abort(signal.reason);
      },
      onResponseStart(_controller, status, headers) {
        // Informational responses (1xx) precede the final one.
        if (status >= 200) started = { status, headers };
      },
      onResponseData(_controller, chunk) {
        body.push(chunk);
      },
      onResponseEnd() {
        if (started === null) fail(new Error('A response ended that had not begun'));
        else settle({ kind: 'whole', ...started, body });
      },
      onResponseError(_controller, error) {
        // The bytes that are no HTTP, which may echo what was sent, would be logged with the error.
        if ('data' in error) Reflect.deleteProperty(error, 'data');
        fail(error);
      },
    });
  });
}
