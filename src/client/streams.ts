import type { Client, ClientOptions } from 'graphql-ws';
import { passing } from './passing.ts';
import { createRetry, type Retry } from './retry.ts';

export interface StreamsOptions extends Pick<ClientOptions, 'url' | 'connectionParams' | 'webSocketImpl'> {
  /** That of graphql-ws, which your project installs. */
  readonly createClient: (options: ClientOptions) => Client;
  readonly retry?: Retry;
  /** Called with true when subscriptions have to wait for a connection, and with false when they have one, or have ended. */
  readonly onWaiting?: (isWaiting: boolean) => void;
  /** Called when the gateway refuses a subscription for now, with the reason; with null when none is refused any more. */
  readonly onRefused?: (reason: string | null) => void;
}

/** Milliseconds between pings, and until a connection without a pong is taken for dead. */
const pingEveryMs = 10_000;
const pongWithinMs = 5_000;

/** Milliseconds on a connection without a refusal after which a subscription is taken for accepted: the protocol has no message for it. */
const acceptedAfterMs = 2_000;

/**
 * One WebSocket for all subscriptions of a page, as a client of graphql-ws. It comes back for ever, and so do the subscriptions. A
 * refusal that does not pass is the error of its subscription.
 */
export function createStreams(given: StreamsOptions): Client {
  const { createClient, retry = createRetry(), onWaiting, onRefused, ...options } = given;
  let pong: ReturnType<typeof setTimeout> | undefined;
  let subscriptions = 0;
  let isConnected = false;
  /** A connection is closed for the next credentials: the gateway that refused these is there. */
  let isLetGo = false;
  /** Why subscriptions are refused, each of which is known by its signal. */
  const refusals = new Map<AbortSignal, string>();
  const client = createClient({
    ...options,
    retryAttempts: Number.POSITIVE_INFINITY,
    retryWait: (attempt) => retry.wait(attempt),
    // Also if `connectionParams` fails: the server that gives out tokens can be down as well.
    shouldRetry: () => true,
    // A page that is drawn again lets go of its subscriptions and takes them again at once.
    lazyCloseTimeout: 1_000,
    keepAlive: pingEveryMs,
    on: {
      // A connection that fell silent, as when a laptop sleeps, has no other end.
      ping: (isReceived) => {
        if (!isReceived) pong = setTimeout(() => client.terminate(), pongWithinMs);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(pong);
      },
      closed: () => {
        clearTimeout(pong);
        isConnected = false;
        onWaiting?.(subscriptions > 0 && !isLetGo);
      },
      connected: () => {
        isConnected = true;
        onWaiting?.(false);
      },
    },
  });
  const { subscribe } = client;
  client.subscribe = (request, sink) => {
    const ended = new AbortController();
    const { signal } = ended;
    let unsubscribe = () => {};
    let refused = 0;
    let isSent = false;
    let accepted: ReturnType<typeof setTimeout> | undefined;
    const accept = () => {
      clearTimeout(accepted);
      refused = 0;
      if (refusals.delete(signal)) onRefused?.([...refusals.values()].at(-1) ?? null);
    };
    const acceptSoon = () => {
      clearTimeout(accepted);
      if (isSent && isConnected) accepted = setTimeout(accept, acceptedAfterMs);
    };
    const stops = [client.on('connected', acceptSoon), client.on('closed', () => clearTimeout(accepted))];
    const end = () => {
      if (signal.aborted) return;
      ended.abort();
      for (const stop of stops) stop();
      accept();
      subscriptions -= 1;
      if (subscriptions === 0) onWaiting?.(false);
    };
    const start = () => {
      isSent = true;
      acceptSoon();
      unsubscribe = subscribe(request, {
        next(result) {
          accept();
          sink.next(result as Parameters<typeof sink.next>[0]);
        },
        error(error) {
          const refusal = passingRefusal(error);
          if (refusal === null) {
            end();
            return sink.error(error);
          }
          isSent = false;
          clearTimeout(accepted);
          refusals.set(signal, refusal.message);
          onRefused?.(refusal.message);
          // The next connection has the credentials of then.
          if (refusal.code.endsWith('CREDENTIALS')) {
            isLetGo = true;
            client.terminate();
            isLetGo = false;
          }
          retry.wait(refused, 0, signal).then(start, () => {});
          refused += 1;
        },
        complete() {
          end();
          sink.complete();
        },
      });
    };
    subscriptions += 1;
    start();
    return () => {
      end();
      unsubscribe();
    };
  };
  return client;
}

/** Why a subscription was refused for now; null if it is for good. The protocol has a list of GraphQL errors. */
function passingRefusal(reason: unknown): { code: string; message: string } | null {
  const [error] = Array.isArray(reason) ? reason : [];
  const code = String(error?.extensions?.code);
  return passing.has(code) ? { code, message: String(error.message) } : null;
}
