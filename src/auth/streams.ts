/**
 * Streams: responses that stay open, such as subscriptions. A request is authenticated once, when it begins; a stream
 * outlives that, so its key is looked at again and again, and ends the stream when it expires or is revoked. Streams are
 * counted, because each of them holds memory and takes its share of every event.
 */
import type { Logger } from 'pino';
import { type Caller, expiredKey } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { within } from '../kernel/lib/deadline.ts';

/** How often the keys of open streams are looked up. After a revocation a stream stays open for this time and one query at most. */
const checkMs = 2_000;

/** How long a look-up may take. It is shorter than the interval, so that a look-up that hangs does not delay the next. */
const checkWithinMs = 1_500;

/** How long a client that was refused a stream should wait before it tries again. */
const retryAfterSeconds = '5';

export interface StreamLimits {
  /** Streams that one API key can have open. */
  readonly perKey: number;
  /** Streams that one process can have open. */
  readonly perProcess: number;
}

export interface Stream {
  /** Aborts when the stream ends: because the client has gone, the key cannot be used any more, or it was closed. */
  readonly signal: AbortSignal;
  /** Why the key ended the stream; null while it did not. An expiry is seen at once, whatever the timers do. */
  readonly refusal: ServiceError | null;
  /** Makes room for another. Closing twice does nothing. */
  close(): void;
}

export interface Streams {
  /**
   * Opens a stream, until the client disconnects or `close` is called.
   * @throws ServiceError `service_unavailable` when the key, or the process, has as many streams as it can have
   */
  open(caller: Caller, clientAborted: AbortSignal): Stream;
  /** Ends the streams whose keys cannot be used any more. It runs by itself while streams are open. */
  check(): Promise<void>;
  /** How many are open. */
  readonly size: number;
  /** Aborts when the process ends all streams. */
  readonly ended: AbortSignal;
  /** Ends all streams, and opens no more: their clients are to open them again, at another process. */
  end(): void;
}

export interface StreamsContext {
  readonly limits: StreamLimits;
  readonly now: () => Date;
  readonly logger: Logger;
  /** The keys among these that cannot be used any more, and why; null where keys are not ours to judge. */
  readonly refusedKeys: ((keyIds: readonly string[], now: Date) => Promise<ReadonlyMap<string, ServiceError>>) | null;
}

/** An open stream and its end. */
interface Open {
  readonly caller: Caller;
  end(refusal: ServiceError): void;
}

export function createStreams({ limits, now, logger, refusedKeys }: StreamsContext): Streams {
  const streams = new Set<Open>();
  const countOfKey = new Map<string, number>();
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  function requireRoom({ keyId }: Caller): void {
    if (ending.signal.aborted) throw full('The gateway is stopping. Open the subscription again.');
    if ((countOfKey.get(keyId) ?? 0) >= limits.perKey) {
      throw full(`The API key has ${limits.perKey} subscriptions open, and can have no more: close one.`);
    }
    if (streams.size >= limits.perProcess) {
      throw full(`The gateway has ${limits.perProcess} subscriptions open, and can have no more. Try again later.`);
    }
  }

  const hasExpired = ({ expiresAt }: Caller) => expiresAt !== null && expiresAt.getTime() <= now().getTime();

  function endExpired(): void {
    for (const { caller, end } of streams) if (hasExpired(caller)) end(expiredKey());
  }

  async function check(): Promise<void> {
    // The expiry of a key never changes, so it needs no database.
    endExpired();
    if (refusedKeys === null || streams.size === 0) return;
    const lookUp = refusedKeys([...countOfKey.keys()], now());
    const refused = await within(checkWithinMs, lookUp, 'The look-up of the keys of streams took too long');
    for (const { caller, end } of streams) {
      const refusal = refused.get(caller.keyId);
      if (refusal !== undefined) end(refusal);
    }
  }

  /** Checks while streams are open. */
  function watchKeys(): void {
    timer ??= setInterval(() => {
      check().catch((error: unknown) => logger.warn({ err: error }, 'could not check the keys of streams'));
    }, checkMs).unref();
  }

  function stopWatching(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    check,
    get size() {
      return streams.size;
    },
    open(caller, clientAborted) {
      requireRoom(caller);
      const { keyId } = caller;
      const ended = new AbortController();
      let refusal: ServiceError | null = null;
      const expiry = timerUntil(caller.expiresAt, now(), endExpired);
      const close = () => {
        clearTimeout(expiry);
        clientAborted.removeEventListener('abort', close);
        if (!streams.delete(open)) return;
        const left = (countOfKey.get(keyId) ?? 1) - 1;
        if (left === 0) countOfKey.delete(keyId);
        else countOfKey.set(keyId, left);
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
      countOfKey.set(keyId, (countOfKey.get(keyId) ?? 0) + 1);
      watchKeys();
      if (clientAborted.aborted) close();
      else clientAborted.addEventListener('abort', close, { once: true });
      return {
        signal: ended.signal,
        get refusal() {
          if (hasExpired(caller)) open.end(expiredKey());
          return refusal;
        },
        close,
      };
    },
    ended: ending.signal,
    end() {
      ending.abort();
      stopWatching();
    },
  };
}

const full = (detail: string) =>
  new ServiceError('service_unavailable', { detail, headers: { 'retry-after': retryAfterSeconds } });

/** The longest time that a timer of Node.js can wait. What expires later is found by the checks. */
const maxTimerMs = 2 ** 31 - 1;

function timerUntil(time: Date | null, now: Date, act: () => void): NodeJS.Timeout | undefined {
  const ms = (time?.getTime() ?? Infinity) - now.getTime();
  // A timer may be a moment early by the clock.
  return ms < maxTimerMs ? setTimeout(act, Math.max(0, ms) + 1).unref() : undefined;
}
