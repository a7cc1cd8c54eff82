/**
 * Watching rows that are announced by their ids (notifications.ts): one is read once for all watchers, if one can see it.
 * Slow readers lose the oldest changes, or are told that they have missed some ({@link Overflow}).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../kernel/caller.ts';
import { createPacer } from '../kernel/lib/pacer.ts';
import { DatabaseFault } from './faults.ts';
import { maxChangedIds, type Notifications, type Topic, type UpdateListener } from './notifications.ts';
import { changesPerTurn } from './row-watch.ts';
import { missedChanges, type Overflow, Watcher, type WatchFeed, watch } from './watch.ts';

/** In one query. */
const readAtOnce = 100;

/** Pause after a fault of the database, in milliseconds. */
const faultPauseMs = 500;

export interface AnnouncedRows<Scope, Row, State> {
  readonly topic: Topic;
  readonly overflow: Overflow;
  /** @param scopes of all watchers: rows that none of them sees need not be read */
  readonly read: (scopes: readonly Scope[], ids: readonly string[]) => Promise<readonly Row[]>;
  readonly sees: (scope: Scope, row: Row) => boolean;
  readonly toState: (row: Row) => State;
  /** Where announcements come from this process alone: they say when to look, and this what is there. */
  readonly tail?: Tail;
}

/** Ids of what was stored since the last look, in the order of their commits. */
export interface Tail {
  /** Some of them; empty if there are none, and at the first look. Null where some cannot be told from older ones. */
  look(): Promise<readonly string[] | null>;
  /** The next look is the first. */
  forget(): void;
}

/** Between two looks, in milliseconds. */
const lookMs = 500;

export function createAnnouncedWatch<
  Scope extends { readonly caller: Caller },
  Row extends { readonly id: string; readonly workspace_id: string },
  State,
>(
  notifications: Pick<Notifications, 'listen'>,
  { topic, overflow, read, sees, toState, tail }: AnnouncedRows<Scope, Row, State>,
) {
  type RowWatcher = Watcher<Scope, State>;
  const watchers = new Map<string, Set<RowWatcher>>();
  /** Since their last read. */
  const changed = new Set<string>();
  const pacer = createPacer(changesPerTurn);
  let isReading = false;
  /** Resolves when all that has changed is read. */
  let reading: Promise<void> = Promise.resolve();
  let stopListening: (() => void) | null = null;
  let timer: NodeJS.Timeout | undefined;
  /** Looks follow one another: one that has not begun sees what is stored until then. */
  let lastLook: Promise<void> = Promise.resolve();
  let nextLook: Promise<void> | null = null;

  const everybody = () => [...watchers.values()].flatMap((each) => [...each]);

  const listener: UpdateListener = {
    onUpdated(ids) {
      if (tail === undefined) add(ids);
      else lookSoon(tail).catch(failUnlessAway);
    },
    onMissed: () => failEverybody(missedChanges()),
    onEnd() {
      for (const watcher of everybody()) watcher.close();
    },
  };

  function failEverybody(error: unknown): void {
    for (const watcher of everybody()) watcher.fail(error);
  }

  /** What a fault of the database hides is there at the next look. */
  function failUnlessAway(error: unknown): void {
    if (!(error instanceof DatabaseFault)) failEverybody(error);
  }

  function add(ids: readonly string[]): void {
    addBounded(ids);
    if (!isReading) reading = readChanged().catch(failEverybody);
  }

  /** Beyond the bound, drops the oldest: a row that goes on changing is announced again. */
  function addBounded(ids: readonly string[]): void {
    for (const id of ids) {
      changed.delete(id);
      changed.add(id);
      const oldest = changed.size > maxChangedIds ? changed.values().next().value : undefined;
      if (oldest === undefined) continue;
      changed.delete(oldest);
      if (overflow === 'fails') failEverybody(missedChanges());
    }
  }

  async function readChanged(): Promise<void> {
    isReading = true;
    try {
      while (changed.size > 0 && watchers.size > 0) {
        const ids = [...changed].slice(0, readAtOnce);
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
      const rows = await read(
        everybody().map(({ scope }) => scope),
        ids,
      );
      return new Map(rows.map((row) => [row.id, row]));
    } catch (error) {
      if (!(error instanceof DatabaseFault)) throw error;
      addBounded(ids);
      return null;
    }
  }

  function post(row: Row): void {
    const seeing = [...(watchers.get(row.workspace_id) ?? [])].filter(({ scope }) => sees(scope, row));
    if (seeing.length === 0) return;
    const state = toState(row);
    for (const watcher of seeing) watcher.post(row.id, state);
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
    for (;;) {
      const ids = await at.look();
      if (ids === null) return failEverybody(missedChanges());
      if (ids.length === 0) return;
      add(ids);
      await reading;
    }
  }

  function lookAgain(at: Tail): void {
    const current = setTimeout(() => {
      lookSoon(at)
        .catch(failUnlessAway)
        .finally(() => {
          if (timer === current) lookAgain(at);
        });
    }, lookMs).unref();
    timer = current;
  }

  const feed: WatchFeed<Scope, State> = {
    join(watcher) {
      const { workspaceId } = watcher.scope.caller;
      if (watchers.size === 0 && tail !== undefined) {
        tail.forget();
        lookAgain(tail);
      }
      watchers.set(workspaceId, (watchers.get(workspaceId) ?? new Set()).add(watcher));
      stopListening ??= notifications.listen(listener, topic);
    },
    leave(watcher) {
      const { workspaceId } = watcher.scope.caller;
      const others = watchers.get(workspaceId);
      others?.delete(watcher);
      if (others?.size === 0) watchers.delete(workspaceId);
      if (watchers.size > 0) return;
      clearTimeout(timer);
      timer = undefined;
      stopListening?.();
      stopListening = null;
    },
  };

  return {
    /**
     * From now on, once it resolves.
     * @param earlier states to begin with, in order, read once nothing later can be missed
     */
    async watch(
      scope: Scope,
      signal: AbortSignal,
      earlier: () => Promise<readonly (readonly [id: string, state: State])[]> = async () => [],
    ): Promise<AsyncGenerator<State, void>> {
      const watcher: RowWatcher = new Watcher(scope, overflow);
      const states = watch(feed, pacer, watcher, signal, (state) => state);
      try {
        if (tail !== undefined) await lookSoon(tail);
        watcher.precede(await earlier());
        return states;
      } catch (error) {
        feed.leave(watcher);
        throw error;
      }
    },
  };
}
