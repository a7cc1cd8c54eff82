/**
 * The one door to the network. A request to a URL that a caller supplied goes to no address that the rule refuses, follows
 * no redirect, ends by its deadline whatever the other side does, and takes in a few kilobytes of the answer at most.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher, Pool } from 'undici';
import { type AddressRule, literalAddress } from './addresses.ts';
import { type FailureReason, failureReasonOf } from './transport-failure.ts';

export type { FailureReason } from './transport-failure.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name. */
export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const dnsLookup: Lookup = (hostname) => systemLookup(hostname, { all: true });

export interface OutboundPost {
  readonly url: URL;
  /** Names and values alternate; names in lower case. */
  readonly headers: string[];
  readonly body: Buffer;
  /** Milliseconds from now to the end of the answer's body. */
  readonly deadlineMs: number;
}

/** What came of a request. `status` and `body` are there as far as they were read. */
export interface Answer {
  readonly status: number | null;
  /** Null where the answer was read to its end, or to the limit. */
  readonly failure: FailureReason | null;
  readonly retryAfter: string | null;
  /** The first bytes of the answer: up to `keptBytes`. */
  readonly body: Buffer;
}

export interface Outbound {
  /** Sends a POST. It never rejects. */
  post(request: OutboundPost): Promise<Answer>;
  /** Ends the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Of an answer this much is read, and the rest not waited for. */
const maxAnswerBytes = 16 * 1024;
/** Of what is read this much is kept to be shown. */
export const keptBytes = 1024;

/** How long a connection without a request is kept; the other side may ask for less, or for this much at most. */
const keepAlive = { keepAliveTimeout: 10_000, keepAliveMaxTimeout: 30_000 } as const;

export function createOutbound({
  allows,
  lookup,
  connectTimeoutMs,
}: {
  readonly allows: AddressRule;
  readonly lookup: Lookup;
  readonly connectTimeoutMs: number;
}): Outbound {
  const agent = new Agent({
    ...keepAlive,
    connect: guardedConnector(allows, lookup, connectTimeoutMs),
    // One request at a time on a connection: a slow answer then holds up nothing behind it.
    allowH2: false,
    pipelining: 1,
    // The one deadline of a request is our own.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    post: (request) => post(agent, request),
    close: () => agent.destroy(),
  };
}

class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

/** Looks at an address before it is connected to (literal or resolved), and at the one that was in the end. */
function guardedConnector(allows: AddressRule, lookup: Lookup, timeout: number): buildConnector.connector {
  const guardedLookup: LookupFunction = (hostname, options, done) => {
    lookup(hostname).then(
      (addresses) => {
        // One bad address among good ones is enough: which of them is connected to is not ours to say.
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => allows(address))) {
          done(new AddressRefused(), '');
        } else if (options.all) {
          done(null, [...addresses]);
        } else {
          done(null, first.address, first.family);
        }
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
  const connect = buildConnector({ allowH2: false, timeout, lookup: guardedLookup });
  return (options, done) => {
    // A literal never reaches a resolver.
    const literal = literalAddress(options);
    if (literal !== null && !allows(literal)) return done(new AddressRefused(), null);
    connect(options, (error, socket) => {
      if (error !== null) return done(error, null);
      if (socket.remoteAddress !== undefined && allows(socket.remoteAddress)) return done(null, socket);
      socket.destroy();
      done(new AddressRefused(), null);
    });
  };
}

function post(agent: Dispatcher, { url, headers, body, deadlineMs }: OutboundPost): Promise<Answer> {
  return new Promise((resolve) => {
    let status: number | null = null;
    let retryAfter: string | null = null;
    let received = 0;
    let settled = false;
    let controller: Dispatcher.DispatchController | undefined;
    const kept: Buffer[] = [];

    const settle = (failure: FailureReason | null) => {
      if (settled) return;
      settled = true;
      clearTimeout(deadline);
      resolve({ status, failure, retryAfter, body: Buffer.concat(kept).subarray(0, keptBytes) });
    };
    const cut = (failure: FailureReason | null) => {
      settle(failure);
      controller?.abort(new Error('The answer is not waited for any longer'));
    };
    const deadline = setTimeout(() => cut('timeout'), deadlineMs);

    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
      {
        onRequestStart(started) {
          controller = started;
          // The deadline may have passed while the request waited for its connection: then it must not be sent.
          if (settled) started.abort(new Error('The deadline has passed'));
        },
        onResponseStart(_controller, code, answered) {
          // Only what is final counts: 1xx answers come before it.
          if (code < 200) return;
          status = code;
          const value = answered['retry-after'];
          retryAfter = typeof value === 'string' ? value : null;
        },
        onResponseData(_controller, chunk) {
          if (received < keptBytes) kept.push(chunk);
          received += chunk.length;
          if (received >= maxAnswerBytes) cut(null);
        },
        onResponseEnd: () => settle(null),
        onResponseError: (_controller, error) => settle(failureReasonOf(error)),
      },
    );
  });
}

/**
 * Connections to one service that the operator has configured, wherever it is: such a service is usually on an intranet.
 * Each request has a deadline of its own as its signal; an answer of more than `maxBytes` breaks off with
 * UND_ERR_RES_EXCEEDED_MAX_SIZE.
 */
export function openPool(
  origin: string,
  { connections, maxBytes, connectTimeoutMs }: { connections: number; maxBytes: number; connectTimeoutMs: number },
): Dispatcher {
  return new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    maxResponseSize: maxBytes,
    connectTimeout: connectTimeoutMs,
    // Connections are kept between bursts of requests, unless the service says for how long.
    keepAliveTimeout: 30_000,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}
