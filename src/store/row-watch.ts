/** Polls watched rows together, by id: notifications would be quicker, but only gateways send them. */
import { createPacer } from '../kernel/lib/pacer.ts';
import { DatabaseFault } from './faults.ts';
import { Watcher, type WatchFeed, watch } from './watch.ts';

/** Two reads with one version are of one state. */
interface Version {
  readonly id: string;
  readonly version: string;
}

export interface RowSource<Row> {
  /** Called with a few hundred ids at most; in any order. */
  readonly versions: (ids: readonly string[]) => Promise<readonly Version[]>;
  readonly read: (ids: readonly string[]) => Promise<readonly (Row & { readonly id: string })[]>;
}

/** Pause between two polls, at least this multiple of the last one's time. */
const pollMs = 500;
const idleFactor = 10;

/** Rows per statement. */
const rowsAtOnce = 500;

/** Changes for watchers per turn of the event loop: each executes a selection, which takes about a millisecond. */
export const changesPerTurn = 8;

/** The rows of a watcher, with the versions sent so far; null before the first. */
type SentVersions = Map<string, string | null>;

export function createRowWatch<Row>(source: RowSource<Row>) {
  type RowWatcher = Watcher<SentVersions, Row>;
  const watchersOf = new Map<string, Set<RowWatcher>>();
  const pacer = createPacer(changesPerTurn);
  /** Newly watched rows, not yet read. */
  const joined = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  /** Reads follow one another, so that none posts an older state. */
  let lastRead: Promise<void> = Promise.resolve();

  const inOrder = (ids: () => readonly string[]): Promise<void> => {
    lastRead = lastRead.then(() => readChanges(ids()));
    return lastRead;
  };

  function readJoined(): readonly string[] {
    const ids = [...joined];
    joined.clear();
    return ids;
  }

  /** Polls while somebody watches. */
  async function poll(): Promise<void> {
    const began = performance.now();
    await inOrder(() => [...watchersOf.keys()]);
    schedule(Math.max(pollMs, idleFactor * (performance.now() - began)));
  }

  function schedule(pauseMs: number): void {
    clearTimeout(timer);
    if (watchersOf.size === 0) return;
    timer = setTimeout(() => {
      poll().catch((error: unknown) => fail(error));
    }, pauseMs).unref();
  }

  async function readChanges(ids: readonly string[]): Promise<void> {
    try {
      for (let at = 0; at < ids.length; at += rowsAtOnce) {
        const versions = await source.versions(ids.slice(at, at + rowsAtOnce));
        const changed = versions.filter(({ id, version }) =>
          watching(id).some(({ scope }) => scope.get(id) !== version),
        );
        if (changed.length === 0) continue;
        const rows = new Map((await source.read(changed.map(({ id }) => id))).map((row) => [row.id, row]));
        for (const { id, version } of changed) post(id, version, rows.get(id));
      }
    } catch (error) {
      // What was not read is read by the next poll.
      if (!(error instanceof DatabaseFault)) fail(error, ids);
    }
  }

  function fail(error: unknown, ids: readonly string[] = [...watchersOf.keys()]): void {
    for (const watcher of new Set(ids.flatMap(watching))) {
      feed.leave(watcher);
      watcher.fail(error);
    }
  }

  const watching = (id: string): readonly RowWatcher[] => [...(watchersOf.get(id) ?? [])];

  /** A row newer than its version is sent again by the next poll. */
  function post(id: string, version: string, row: Row | undefined): void {
    if (row === undefined) return;
    for (const watcher of watching(id)) {
      if (watcher.scope.get(id) === version) continue;
      watcher.scope.set(id, version);
      watcher.post(id, row);
    }
  }

  const feed: WatchFeed<SentVersions, Row> = {
    join(watcher) {
      const isFirst = watchersOf.size === 0;
      for (const id of watcher.scope.keys()) {
        const others = watchersOf.get(id);
        if (others === undefined) watchersOf.set(id, new Set([watcher]));
        else others.add(watcher);
        joined.add(id);
      }
      // Watches that begin in one turn share a read.
      inOrder(readJoined).catch((error: unknown) => fail(error));
      if (isFirst) schedule(pollMs);
    },
    leave(watcher) {
      for (const id of watcher.scope.keys()) {
        const others = watchersOf.get(id);
        others?.delete(watcher);
        if (others?.size === 0) watchersOf.delete(id);
      }
      if (watchersOf.size === 0) clearTimeout(timer);
    },
  };

  return {
    /** Each row now and after every change; a slow reader gets the newest. @param show null for a hidden row */
    watch: <Shown>(ids: readonly string[], signal: AbortSignal, show: (row: Row) => Shown | null) =>
      watch(feed, pacer, new Watcher(new Map(ids.map((id) => [id, null]))), signal, show),
  };
}
