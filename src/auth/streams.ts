/**
 * Streams, that is subscriptions and the WebSockets that carry them. They outlive their authentication: keys are
 * checked again and again. They are counted: each holds memory and takes its share of every event.
 */

import type { Logger } from 'pino';
import { type Caller, expiryOf } from '../kernel/caller.ts';
import { retrySoon, ServiceError } from '../kernel/errors.ts';
import { onAbort, within } from '../kernel/lib/abort-signal.ts';
import { addTo, type Tally } from '../kernel/lib/tally.ts';
import { createTroubles, type Troubles } from '../kernel/troubles.ts';

/** Milliseconds between checks: a stream outlives a revocation by this and one query at most. */
const checkMs = 2_000;

/** Below the interval, so that a look-up that hangs delays no other. */
const checkWithinMs = 1_500;

interface StreamLimits {
  readonly perKey: number;
  /** Over all of its keys: no workspace fills the process. */
  readonly perWorkspace: number;
  readonly perProcess: number;
}

/** Names in errors, counted apart. */
const streamKinds = { subscription: 'subscriptions', socket: 'WebSockets' } as const;
type StreamKind = keyof typeof streamKinds;

export interface Stream {
  /** Aborts when the client is gone, the key is unusable, or the stream is closed. */
  readonly signal: AbortSignal;
  /** Null unless the key ended the stream. An expiry shows at once, whatever the timers do. */
  readonly refusal: ServiceError | null;
  /** Idempotent. */
  close(): void;
}

interface StreamsContext {
  readonly limits: StreamLimits;
  readonly now: () => Date;
  readonly logger: Logger;
  readonly troubles?: Troubles;
  /** The unusable keys with their reasons; null where another service judges keys. */
  readonly refusedKeys: ((keyIds: readonly string[], now: Date) => Promise<ReadonlyMap<string, ServiceError>>) | null;
}

interface Open {
  readonly caller: Caller;
  end(refusal: ServiceError): void;
}

export type Streams = ReturnType<typeof createStreams>;

export function createStreams({ limits, now, logger, refusedKeys, troubles = createTroubles(logger) }: StreamsContext) {
  const trouble = troubles.of('could not check the keys of streams', { level: 'warn', onDemand: true });
  const streams = new Set<Open>();
  const counts = {
    subscription: countsOfCallers(),
    socket: countsOfCallers(),
  };
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const count = (kind: StreamKind): number => [...counts[kind].keys.values()].reduce((sum, each) => sum + each, 0);

  function requireRoom({ keyId, workspaceId }: Caller, kind: StreamKind): void {
    if (ending.signal.aborted) throw full('The gateway is stopping. Open the subscription again.');
    if ((counts[kind].keys.get(keyId) ?? 0) >= limits.perKey) {
      throw full(`The API key has ${limits.perKey} ${streamKinds[kind]} open, and can have no more: close one.`);
    }
    if ((counts[kind].workspaces.get(workspaceId) ?? 0) >= limits.perWorkspace) {
      throw full(
        `The workspace has ${limits.perWorkspace} ${streamKinds[kind]} open, and can have no more: close one.`,
      );
    }
    if (count(kind) >= limits.perProcess) {
      throw full(
        `The gateway has ${limits.perProcess} ${streamKinds[kind]} open, and can have no more. Try again later.`,
      );
    }
  }

  const hasExpired = ({ expiresAt }: Caller) => expiresAt !== null && expiresAt.getTime() <= now().getTime();

  function endExpired(): void {
    for (const { caller, end } of streams) if (hasExpired(caller)) end(expiryOf(caller));
  }

  async function check(): Promise<void> {
    // An expiry never changes: no database needed.
    endExpired();
    if (refusedKeys === null || streams.size === 0) return;
    const lookUp = refusedKeys([...new Set([...streams].map(({ caller }) => caller.keyId))], now());
    const refused = await within(checkWithinMs, lookUp, 'The look-up of the keys of streams took too long');
    for (const { caller, end } of streams) {
      const refusal = refused.get(caller.keyId);
      if (refusal !== undefined) end(refusal);
    }
  }

  function watchKeys(): void {
    timer ??= setInterval(() => {
      check().then(trouble.worked, trouble.failed);
    }, checkMs).unref();
  }

  function stopWatching(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Ends streams with unusable keys; runs by itself while streams are open. */
    check,
    count,
    /**
     * A key ends its streams in their order: a WebSocket before its subscriptions.
     * @throws ServiceError `service_unavailable` beyond the limit of the key, the workspace or the process
     */
    open(caller: Caller, clientAborted: AbortSignal, kind: StreamKind = 'subscription'): Stream {
      requireRoom(caller, kind);
      const { keyId, workspaceId } = caller;
      const { keys, workspaces } = counts[kind];
      const ended = new AbortController();
      let refusal: ServiceError | null = null;
      // Whatever the clock says by then: it may have jumped back.
      const expiry = timerUntil(caller.expiresAt, now(), () => open.end(expiryOf(caller)));
      const close = () => {
        clearTimeout(expiry);
        clientAborted.removeEventListener('abort', close);
        if (!streams.delete(open)) return;
        addTo(keys, keyId, -1);
        addTo(workspaces, workspaceId, -1);
        if (streams.size === 0) stopWatching();
        ended.abort();
      };
      const open: Open = {
        caller,
        end(reason) {
          refusal ??= reason;
          close();
        },
      };
      streams.add(open);
      addTo(keys, keyId, 1);
      addTo(workspaces, workspaceId, 1);
      watchKeys();
      onAbort(clientAborted, close);
      return {
        signal: ended.signal,
        get refusal() {
          if (hasExpired(caller)) endExpired();
          return refusal;
        },
        close,
      };
    },
    /** Aborts at the process's end of all streams. */
    ended: ending.signal,
    /** Ends all streams for good: clients reopen them at another process. */
    end() {
      ending.abort();
      stopWatching();
    },
  };
}

const countsOfCallers = (): { readonly keys: Tally; readonly workspaces: Tally } => ({
  keys: new Map(),
  workspaces: new Map(),
});

const full = (detail: string) => new ServiceError('service_unavailable', { detail, headers: retrySoon });

/** The longest time of a Node.js timer. Checks find later expiries. */
const maxTimerMs = 2 ** 31 - 1;

function timerUntil(time: Date | null, now: Date, act: () => void): NodeJS.Timeout | undefined {
  const ms = (time?.getTime() ?? Infinity) - now.getTime();
  // A timer may be early by the clock.
  return ms < maxTimerMs ? setTimeout(act, Math.max(0, ms) + 1).unref() : undefined;
}
