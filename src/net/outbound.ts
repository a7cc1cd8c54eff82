/**
 * The one door to callers' URLs: it connects only to allowed addresses, follows no redirect, ends by its deadline
 * whatever the other side does, and reads a few kilobytes. The operator's service is reached through service-pool.ts.
 */

import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { onAbort } from '../kernel/lib/abort-signal.ts';
import { type AddressRule, allowedOf, isRefusedTarget, literalAddress } from './addresses.ts';
import type { Lookup } from './dns/lookup.ts';
import { createOriginPools, type OriginPools } from './origin-pools.ts';
import { createProxies, type Proxies, type ProxySettings, withoutProxies } from './proxies.ts';
import { type FailureReason, failureReasonOf } from './transport-failure.ts';
import { undici } from './undici.ts';

export type { FailureReason } from './transport-failure.ts';

export interface OutboundPost {
  readonly url: URL;
  /** Names and values alternate; names in lower case. */
  readonly headers: string[];
  readonly body: Buffer;
  /** From now until the whole response must have arrived. */
  readonly deadlineMs: number;
  /** Ends the request before its deadline, as timed out. */
  readonly signal?: AbortSignal | undefined;
}

export interface OutboundResponse {
  readonly status: number | null;
  readonly failure: FailureReason | null;
  readonly retryAfter: string | null;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
}

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Outbound {
  /** Rejects once it is closed; otherwise failures are part of the response. */
  post(request: OutboundPost): Promise<OutboundResponse>;
  /** Closes all connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Read of a body; the rest is not waited for. */
const maxReadBytes = 16 * 1024;
/** Read of a response with its framing: headers, informational responses, sizes of chunks. */
const maxWireBytes = 128 * 1024;
const shownBytes = 1024;

/** Lifetime of idle connections. The other side may ask for another, up to the maximum. */
const keepAlive = { keepAliveTimeout: 10_000, keepAliveMaxTimeout: 30_000 } as const;

interface OutboundOptions {
  readonly allows: AddressRule;
  readonly lookup: Lookup;
  readonly connectTimeoutMs: number;
  /** A proxy resolves names, and judges where they lead. The gateway judges what it knows without asking. */
  readonly proxies?: ProxySettings | undefined;
}

export function createOutbound({
  allows,
  lookup,
  connectTimeoutMs,
  proxies: settings = withoutProxies,
}: OutboundOptions): Outbound & Pick<OriginPools, 'origins'> {
  const proxies = createProxies(settings, connectTimeoutMs);
  const options = {
    ...keepAlive,
    connect: guardedConnector(allows, lookup, connectTimeoutMs),
    // One request at a time on a connection, so that a slow response delays no other request.
    allowH2: false,
    pipelining: 1,
    // `deadlineMs` is the one deadline of a request.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const pools = createOriginPools((origin) =>
    proxies.open(origin, options, (socket) => limitReads(socket, maxWireBytes)),
  );
  return {
    post: (request) =>
      proxies.has(request.url.origin) && isRefusedTarget(request.url, allows, lookup.local)
        ? Promise.resolve(refusedAddress)
        : post({ pools, proxies }, request),
    get origins() {
      return pools.origins;
    },
    async close() {
      await Promise.all([pools.destroy(), proxies.close()]);
    },
  };
}

const refusedAddress: OutboundResponse = {
  status: null,
  failure: 'address_refused',
  retryAfter: null,
  headers: {},
  body: Buffer.alloc(0),
};

class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

/** Connects to allowed addresses alone, literal or resolved, and checks the peer's address after. */
function guardedConnector(allows: AddressRule, lookup: Lookup, timeout: number): buildConnector.connector {
  const guardedLookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname).then(
      (addresses) => {
        const allowed = allowedOf(addresses, allows);
        const [first] = allowed;
        if (first === undefined) {
          done(new AddressRefused(), '');
        } else if (options.all) {
          done(null, [...allowed]);
        } else {
          done(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
  let connect: buildConnector.connector | undefined;
  return (options, done) => {
    // A literal never reaches a resolver.
    const literal = literalAddress(options);
    if (literal !== null && !allows(literal)) return done(new AddressRefused(), null);
    connect ??= undici.buildConnector({ allowH2: false, timeout, lookup: guardedLookup });
    connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      if (socket.remoteAddress !== undefined && allows(socket.remoteAddress)) {
        limitReads(socket, maxWireBytes);
        return done(null, socket);
      }
      socket.destroy();
      done(new AddressRefused(), null);
    });
  };
}

function post(
  { pools, proxies }: { readonly pools: OriginPools; readonly proxies: Proxies },
  { url, headers, body, deadlineMs, signal }: OutboundPost,
): Promise<OutboundResponse> {
  return new Promise((resolve) => {
    const { pool, release } = pools.take(url.origin);
    let status: number | null = null;
    let received: ResponseHeaders = {};
    let receivedBytes = 0;
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    const kept: Buffer[] = [];

    const settle = (failure: FailureReason | null) => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      const retryAfter = received['retry-after'];
      resolve({
        status,
        failure,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
        headers: received,
        body: Buffer.concat(kept).subarray(0, shownBytes),
      });
    };
    const cut = (failure: FailureReason | null) => {
      settle(failure);
      controller?.abort(new Error('The response is no longer waited for'));
    };
    const deadline = setTimeout(() => cut('timeout'), deadlineMs);
    if (signal !== undefined) onAbort(signal, () => cut('timeout'));

    pool.dispatch(proxies.prepare(url.origin, { path: url.pathname + url.search, method: 'POST', headers, body }), {
      onRequestStart(started) {
        controller = started;
        // A request whose deadline passed while it waited for a connection must not be sent.
        if (settled) started.abort(new Error('The deadline has passed'));
      },
      onResponseStart(_controller, code, responseHeaders) {
        // Informational responses (1xx) precede the final one.
        if (code < 200) return;
        status = code;
        received = responseHeaders;
      },
      onResponseData(_controller, chunk) {
        if (receivedBytes < shownBytes) kept.push(chunk);
        receivedBytes += chunk.length;
        if (receivedBytes >= maxReadBytes) cut(null);
      },
      onResponseEnd() {
        settle(null);
        release();
      },
      onResponseError(_controller, error) {
        settle(failureReasonOf(error));
        release();
      },
    });
  });
}

class ResponseTooLarge extends Error {
  readonly code = 'RESPONSE_TOO_LARGE';
}

/**
 * Destroys a connection that reads more than `bytes` per request. The HTTP parser itself reads endless status lines,
 * informational responses and chunk extensions until the deadline, and reports nothing that could be counted.
 * @param socket carries one request after the other
 */
function limitReads(socket: Socket, bytes: number): void {
  let [written, readBefore, read] = [0, 0, 0];
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) [written, readBefore] = [socket.bytesWritten, read];
    read = socket.bytesRead;
    if (read - readBefore > bytes) socket.destroy(new ResponseTooLarge(`More than ${bytes} bytes of a response`));
  });
}
