/**
 * Feeds of watched rows: what has changed is read once for all watchers, if one can see it. Deliveries and events are
 * announced by their ids (notifications.ts). Accounts and postings are polled: notifications would be quicker, but only
 * gateways send them. A fault of the database is waited out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { onAbort } from '../kernel/lib/abort-signal.ts';
import { createPacer } from '../kernel/lib/pacer.ts';
import { DatabaseFault } from './faults.ts';
import { maxChangedIds, type UpdateListener } from './notifications.ts';
import { missedChanges, type Overflow, shownOf, Watcher } from './watch.ts';

/** Pause after a fault of the database, in milliseconds. */
const faultPauseMs = 500;

/** Pause between two looks, in milliseconds, and at least this multiple of the last one's time. */
const lookMs = 500;
const idleFactor = 10;

/** Rows per statement of a poll. */
const polledAtOnce = 500;

/** Changes for watchers per turn of the event loop: each executes a selection, which takes about a millisecond. */
const changesPerTurn = 8;

interface WatchedRows<Scope, Row, State> {
  /** Watchers of a key get the rows of that key. */
  readonly keysOf: (scope: Scope) => Iterable<string>;
  readonly keyOf: (row: Row) => string;
  readonly overflow: Overflow;
  /** Rows per statement; by default 100. */
  readonly atOnce?: number;
  /** @param scopes of all watchers: rows that none of them sees need not be read */
  readonly read: (scopes: readonly Scope[], ids: readonly string[]) => Promise<readonly Row[]>;
  /** Whether the watcher gets the row, asked once. */
  readonly takes: (scope: Scope, row: Row) => boolean;
  readonly toState: (row: Row) => State;
  /** Announces rows; without it, a watcher begins with the rows of its keys, which are their ids. */
  readonly listen?: (listener: UpdateListener) => () => void;
  /** Where announcements come from this process alone, or not at all: they say when to look, and this what is there. */
  readonly tail?: Tail;
}

/** Looks for what changed since the last look. */
export interface Tail {
  /** Some ids after the other, in the order of their commits; none at the first look. Null where some cannot be told from older ones. */
  look(keys: readonly string[]): AsyncIterable<readonly string[] | null>;
  /** The next look is the first. */
  forget?(): void;
}

export function createWatchFeed<Scope, Row extends { readonly id: string }, State>({
  keysOf,
  keyOf,
  overflow,
  atOnce = 100,
  read,
  takes,
  toState,
  listen,
  tail,
}: WatchedRows<Scope, Row, State>) {
  type RowWatcher = Watcher<Scope, State>;
  const watchers = new Map<string, Set<RowWatcher>>();
  const joined = new Set<RowWatcher>();
  /** Since their last read. */
  const changed = new Set<string>();
  const pacer = createPacer(changesPerTurn);
  let isReading = false;
  /** Resolves when all that has changed is read. */
  let reading: Promise<void> = Promise.resolve();
  let stopListening: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Looks follow one another: one that has not begun sees what is stored until then. */
  let lastLook: Promise<void> = Promise.resolve();
  let nextLook: Promise<void> | null = null;

  const listener: UpdateListener = {
    onUpdated(ids) {
      if (tail === undefined) add(ids);
      else lookSoon(tail).catch(failUnlessAway);
    },
    onMissed: () => failEverybody(missedChanges()),
    onEnd() {
      for (const watcher of [...joined]) watcher.close();
    },
  };

  function failEverybody(error: unknown): void {
    for (const watcher of [...joined]) {
      leave(watcher);
      watcher.fail(error);
    }
  }

  /** What a fault of the database hides is there at the next look. */
  function failUnlessAway(error: unknown): void {
    if (!(error instanceof DatabaseFault)) failEverybody(error);
  }

  function add(ids: Iterable<string>): void {
    addBounded(ids);
    if (!isReading) reading = readChanged().catch(failEverybody);
  }

  /** Beyond the bound, drops the oldest: a row that goes on changing is announced again. Polled rows are those of the watchers. */
  function addBounded(ids: Iterable<string>): void {
    for (const id of ids) {
      changed.delete(id);
      changed.add(id);
      const oldest = listen !== undefined && changed.size > maxChangedIds ? changed.values().next().value : undefined;
      if (oldest === undefined) continue;
      changed.delete(oldest);
      if (overflow === 'fails') failEverybody(missedChanges());
    }
  }

  async function readChanged(): Promise<void> {
    isReading = true;
    try {
      while (changed.size > 0 && watchers.size > 0) {
        const ids = [...changed].slice(0, atOnce);
        for (const id of ids) changed.delete(id);
        const rows = await readWatched(ids);
        if (rows === null) await sleep(faultPauseMs, undefined, { ref: false });
        for (const id of ids) {
          const row = rows?.get(id);
          if (row !== undefined) post(row);
        }
      }
    } finally {
      changed.clear();
      isReading = false;
    }
  }

  /** Null at a fault of the database, after which they are changed as before. */
  async function readWatched(ids: readonly string[]): Promise<ReadonlyMap<string, Row> | null> {
    try {
      const scopes = [...joined].map(({ scope }) => scope);
      const rows = await read(scopes, ids);
      return new Map(rows.map((row) => [row.id, row]));
    } catch (error) {
      if (!(error instanceof DatabaseFault)) throw error;
      addBounded(ids);
      return null;
    }
  }

  function post(row: Row): void {
    const taking = [...(watchers.get(keyOf(row)) ?? [])].filter(({ scope }) => takes(scope, row));
    if (taking.length === 0) return;
    const state = toState(row);
    for (const watcher of taking) watcher.post(row.id, state);
  }

  function lookSoon(at: Tail): Promise<void> {
    nextLook ??= lastLook
      .catch(() => undefined)
      .then(() => {
        nextLook = null;
        return look(at);
      });
    lastLook = nextLook;
    return nextLook;
  }

  async function look(at: Tail): Promise<void> {
    for await (const ids of at.look([...watchers.keys()])) {
      if (ids === null) return failEverybody(missedChanges());
      add(ids);
      await reading;
    }
  }

  function lookAgain(at: Tail, pauseMs = lookMs): void {
    const current = setTimeout(() => {
      const began = performance.now();
      lookSoon(at)
        .catch(failUnlessAway)
        .finally(() => {
          if (timer === current) lookAgain(at, Math.max(lookMs, idleFactor * (performance.now() - began)));
        });
    }, pauseMs).unref();
    timer = current;
  }

  function join(watcher: RowWatcher): void {
    if (watchers.size === 0 && tail !== undefined) {
      tail.forget?.();
      lookAgain(tail);
    }
    joined.add(watcher);
    for (const key of keysOf(watcher.scope)) watchers.set(key, (watchers.get(key) ?? new Set()).add(watcher));
    if (listen === undefined) add(keysOf(watcher.scope));
    else stopListening ??= listen(listener);
  }

  function leave(watcher: RowWatcher): void {
    joined.delete(watcher);
    for (const key of keysOf(watcher.scope)) {
      const others = watchers.get(key);
      others?.delete(watcher);
      if (others?.size === 0) watchers.delete(key);
    }
    if (watchers.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
    stopListening?.();
    stopListening = undefined;
  }

  return {
    /**
     * From now on, once it resolves.
     * @param show null for a hidden state
     * @param earlier states to begin with, in order, read once nothing later can be missed
     */
    async watch<Shown>(
      scope: Scope,
      signal: AbortSignal,
      show: (state: State) => Shown | null,
      earlier: () => Promise<readonly (readonly [id: string, state: State])[]> = async () => [],
    ): Promise<AsyncGenerator<Shown, void>> {
      const watcher: RowWatcher = new Watcher(scope, overflow);
      const stop = () => {
        signal.removeEventListener('abort', stop);
        leave(watcher);
        watcher.close();
      };
      join(watcher);
      // A generator that is never started runs no `finally`: the signal ends the watching all the same.
      onAbort(signal, stop);
      try {
        if (listen !== undefined && tail !== undefined) await lookSoon(tail);
        watcher.precede(await earlier());
        return shownOf(watcher, pacer, show, stop);
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}

export interface RowSource<Row> {
  readonly read: (ids: readonly string[]) => Promise<readonly (Row & { readonly id: string })[]>;
  /** Two rows with one version are of one state. */
  readonly versionOf: (row: Row) => string;
}

/** The rows of a watcher, with the versions sent so far; null before the first. */
type SentVersions = Map<string, string | null>;

/** Polls rows by their ids, while somebody watches. */
export function createRowWatch<Row>({ read, versionOf }: RowSource<Row>) {
  const { watch } = createWatchFeed<SentVersions, Row & { readonly id: string }, Row>({
    keysOf: (sent) => sent.keys(),
    keyOf: ({ id }) => id,
    overflow: 'drops',
    atOnce: polledAtOnce,
    read: (_, ids) => read(ids),
    takes(sent, row) {
      const version = versionOf(row);
      const isNew = sent.get(row.id) !== version;
      if (isNew) sent.set(row.id, version);
      return isNew;
    },
    toState: (row) => row,
    tail: {
      async *look(ids) {
        for (let at = 0; at < ids.length; at += polledAtOnce) yield ids.slice(at, at + polledAtOnce);
      },
    },
  });
  return {
    /** Each row now and after every change; a slow reader gets the newest. @param show null for a hidden row */
    watch: <Shown>(ids: readonly string[], signal: AbortSignal, show: (row: Row) => Shown | null) =>
      watch(new Map(ids.map((id) => [id, null])), signal, show),
  };
}
