/** The door for HTTP: Yoga, with the pipeline as plugins. It reads no socket and writes to none. */
import { pipeline } from 'node:stream/promises';
import type { GraphQLSchema } from 'graphql';
import { createYoga, type FetchAPI, type Plugin } from 'graphql-yoga';
import type { IncomingRequest, SentHeaders } from '../../http/incoming-request.ts';
import { addTo, type Tally } from '../../kernel/lib/tally.ts';
import { endpoint } from '../endpoint.ts';
import { Exchange, type ExchangeOptions } from '../exchange.ts';
import {
  asGraphQLError,
  type PipelinePluginOptions,
  type Served,
  type ServedContext,
  type ServedRequest,
  withPipeline,
} from './use-pipeline.ts';

interface YogaOptions extends ExchangeOptions, PipelinePluginOptions {
  readonly schema: GraphQLSchema;
  readonly plugins?: readonly Plugin[] | undefined;
}

export function yogaDoor({ plugins = [], ...options }: YogaOptions): (http: IncomingRequest) => Promise<void> {
  const { handleRequest, fetchAPI } = createYoga<ServedContext, ServedContext>({
    schema: options.schema,
    graphqlEndpoint: endpoint,
    // No address ends so: there are probes (http/probes.ts).
    healthCheckEndpoint: ' ',
    landingPage: false,
    // Yoga's own page loads GraphiQL from a CDN.
    graphiql: false,
    logging: false,
    multipart: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    cors: false,
    maskedErrors: { maskError: asGraphQLError },
    plugins: withPipeline(plugins, options),
  });

  /** Without a context: of one Yoga makes a prototype, and V8 for each a hidden class, which fills the old generation. */
  const handle = handleRequest as (request: object, ...contexts: readonly object[]) => Response | Promise<Response>;
  const warn = warningOfBrowserStreams();

  return async (http) => {
    const exchange = new Exchange(http, options);
    const served: Served = { exchange, refused: null, isAcceptable: true, early: null, cut: null };
    const response = await handle(new DoorRequest(http, fetchAPI, served));
    const { early, cut } = served;
    if (early?.response === response) {
      http.send(response.status, headersOf(response.headers), early.body ?? undefined);
    } else {
      if (cut !== null) warn(http);
      await sendStream(http, response);
    }
  };
}

const streamTypes = /^(?:text\/event-stream|multipart\/mixed)\b/;

/** Sends a body as it comes. */
async function sendStream(http: IncomingRequest, { status, body, headers }: Response): Promise<void> {
  const isStream = streamTypes.test(headers.get('content-type') ?? '');
  if (isStream) {
    // nginx would gather results until they fill a buffer. It takes this header away.
    headers.set('x-accel-buffering', 'no');
    // Yoga would keep a connection that its client asked to close, and let a cache store the stream.
    for (const name of ['connection', 'cache-control']) headers.delete(name);
  }
  const sent = isStream && isFinal(status) ? 200 : status;
  if (body === null) return http.send(sent, headersOf(headers));
  // Yoga's own bodies cannot be cancelled before they have begun.
  if (http.response.closed) return body.cancel().catch(() => undefined);
  http.response.isStream = isStream;
  http.response.writeHead(sent, { ...http.ownHeaders, ...headersOf(headers) });
  // Yoga's bodies are streams of Node, which end with the response.
  await pipeline(body as unknown as NodeJS.ReadableStream, http.response).catch((error: unknown) => {
    if (!http.response.closed) throw error;
  });
}

function headersOf(headers: Headers): SentHeaders {
  const entries: Record<string, SentHeaders[string]> = {};
  headers.forEach((value, name) => {
    entries[name.toLowerCase()] = value;
  });
  // The only one that cannot be one line (RFC 9110, section 5.3).
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? entries : { ...entries, 'set-cookie': cookies };
}

/** Whether repeating is of no use: graphql-sse and `EventSource` read no error event with another status than 200. */
const isFinal = (status: number): boolean => status >= 400 && status < 500;

/** What Yoga and its plugins ask of a request, made when they do. The body has its limits (http/request-bodies.ts). */
class DoorRequest
  implements ServedRequest, Pick<Request, 'method' | 'url' | 'headers' | 'signal' | 'body' | 'json' | 'text'>
{
  readonly body = null;
  readonly served: Served;
  readonly #http: IncomingRequest;
  readonly #fetchAPI: Pick<FetchAPI, 'Headers'>;
  #headers: Headers | undefined;

  constructor(http: IncomingRequest, fetchAPI: Pick<FetchAPI, 'Headers'>, served: Served) {
    this.served = served;
    this.#http = http;
    this.#fetchAPI = fetchAPI;
  }

  get method(): string {
    return this.#http.method;
  }

  /** The router has matched the path, however it is spelt. */
  get url(): string {
    const { url, headers } = this.#http;
    const query = url.indexOf('?');
    return `http://${headers.host || 'localhost'}${endpoint}${query === -1 ? '' : url.slice(query)}`;
  }

  get headers(): Headers {
    this.#headers ??= new this.#fetchAPI.Headers({ ...this.#http.raw.headers } as HeadersInit);
    return this.#headers;
  }

  get signal(): AbortSignal {
    return this.#http.clientAborted;
  }

  async json(): Promise<unknown> {
    return this.#http.json();
  }

  async text(): Promise<string> {
    return (await this.#http.body()).toString();
  }
}

/** To an origin, over HTTP/1.1. With a stream on each, a page hangs without an error. */
const browserConnections = 6;

const maxNameLength = 200;

/** Warns once in the life of the process: the cure is the same every time. */
function warningOfBrowserStreams(): (request: IncomingRequest) => void {
  const open: Tally = new Map();
  let hasWarned = false;
  return (request) => {
    // Only browsers say where a request is from.
    if (hasWarned || request.headers['sec-fetch-site'] === undefined || request.httpVersion !== '1.1') return;
    const client = `${request.ip} ${request.raw.headers['user-agent']?.slice(0, maxNameLength)}`;
    const count = addTo(open, client, 1);
    request.whenClosed(() => addTo(open, client, -1));
    if (count < browserConnections) return;
    hasWarned = true;
    request.log.warn({ streams: count }, 'a browser holds six streams over HTTP/1.1, and can open no other connection');
  };
}
