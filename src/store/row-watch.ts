/**
 * Watching rows by their ids. Whoever changes them (this process, another one, a command), the change is in the database, and is
 * read there: all that is watched is asked for together, again and again, by primary key, and only while somebody watches. The
 * notifications that tell of deliveries would tell sooner, but only of what a gateway does.
 */
import { createPacer } from '../kernel/lib/pacer.ts';

/** A row and what changes with it: two reads with one version are of one state. */
interface Version {
  readonly id: string;
  readonly version: string;
}

export interface RowSource<Row> {
  /** The versions of the rows with these ids, of which there are a few hundred at most, in any order. */
  readonly versions: (ids: readonly string[]) => Promise<readonly Version[]>;
  /** The rows with these ids, in any order. */
  readonly read: (ids: readonly string[]) => Promise<readonly (Row & { readonly id: string })[]>;
}

export interface RowWatch<Row> {
  /**
   * Yields each of these rows as it is, and again whenever it has changed, until the signal aborts. Who reads slowly gets
   * the newest state of a row, and not those before.
   * @param show what the watcher gets of a row; null for a row that it may not see
   */
  watch<Shown>(
    ids: readonly string[],
    signal: AbortSignal,
    show: (row: Row) => Shown | null,
  ): AsyncGenerator<Shown, void>;
}

/** The pause between two polls, and no less than this many times what the last one took: many rows take longer. */
const pollMs = 500;
const idleFactor = 10;

/** Rows of one statement. */
const rowsAtOnce = 500;

/** Changes that watchers get in one turn of the event loop, as with deliveries. */
const changesPerTurn = 8;

interface Watcher<Row> {
  /** The versions that were sent of its rows; null before. */
  readonly sent: Map<string, string | null>;
  readonly unread: Map<string, Row>;
  failure: { readonly error: unknown } | null;
  stopped: boolean;
  wake: () => void;
}

export function createRowWatch<Row>(source: RowSource<Row>): RowWatch<Row> {
  const watchersOf = new Map<string, Set<Watcher<Row>>>();
  const pacer = createPacer(changesPerTurn);
  /** Rows that somebody has begun to watch since they were last read. */
  const joined = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  /** Reads happen one after the other, so that none posts a state that is older than another has posted. */
  let lastRead: Promise<void> = Promise.resolve();

  const inTurn = (ids: () => readonly string[]): Promise<void> => {
    lastRead = lastRead.then(() => readChanges(ids()));
    return lastRead;
  };

  function readJoined(): readonly string[] {
    const ids = [...joined];
    joined.clear();
    return ids;
  }

  /** Reads what is watched, then again whenever it is time, for as long as somebody watches. */
  async function poll(): Promise<void> {
    const began = performance.now();
    await inTurn(() => [...watchersOf.keys()]);
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
        const changed = versions.filter(({ id, version }) => watching(id).some(({ sent }) => sent.get(id) !== version));
        if (changed.length === 0) continue;
        const rows = new Map((await source.read(changed.map(({ id }) => id))).map((row) => [row.id, row]));
        for (const { id, version } of changed) post(id, version, rows.get(id));
      }
    } catch (error) {
      fail(error, ids);
    }
  }

  /** As with deliveries: a stream that can say nothing ends, with the error, and its client subscribes again. */
  function fail(error: unknown, ids: readonly string[] = [...watchersOf.keys()]): void {
    for (const watcher of new Set(ids.flatMap(watching))) end(watcher, { error });
  }

  const watching = (id: string): readonly Watcher<Row>[] => [...(watchersOf.get(id) ?? [])];

  /** A row that is newer than its version is sent again with the next poll. */
  function post(id: string, version: string, row: Row | undefined): void {
    if (row === undefined) return;
    for (const watcher of watching(id)) {
      if (watcher.sent.get(id) === version) continue;
      watcher.sent.set(id, version);
      watcher.unread.set(id, row);
      watcher.wake();
    }
  }

  function begin(watcher: Watcher<Row>): void {
    const isFirst = watchersOf.size === 0;
    for (const id of watcher.sent.keys()) {
      const others = watchersOf.get(id);
      if (others === undefined) watchersOf.set(id, new Set([watcher]));
      else others.add(watcher);
      joined.add(id);
    }
    // Those who begin in one turn are read together: the first read takes all of them.
    inTurn(readJoined).catch((error: unknown) => fail(error));
    if (isFirst) schedule(pollMs);
  }

  function end(watcher: Watcher<Row>, failure: Watcher<Row>['failure']): void {
    for (const id of watcher.sent.keys()) {
      const others = watchersOf.get(id);
      others?.delete(watcher);
      if (others?.size === 0) watchersOf.delete(id);
    }
    watcher.failure ??= failure;
    watcher.stopped = true;
    watcher.wake();
    if (watchersOf.size === 0) clearTimeout(timer);
  }

  async function* changesOf<Shown>(
    watcher: Watcher<Row>,
    show: (row: Row) => Shown | null,
    stop: () => void,
  ): AsyncGenerator<Shown, void> {
    try {
      for (;;) {
        await nextChange(watcher);
        await pacer.next();
        if (watcher.failure !== null) throw watcher.failure.error;
        if (watcher.stopped) return;
        for (const [id, row] of watcher.unread) {
          watcher.unread.delete(id);
          const shown = show(row);
          if (shown === null) continue;
          yield shown;
          break;
        }
      }
    } finally {
      stop();
    }
  }

  return {
    watch(ids, signal, show) {
      const watcher: Watcher<Row> = {
        sent: new Map(ids.map((id) => [id, null])),
        unread: new Map(),
        failure: null,
        stopped: false,
        wake: () => {},
      };
      const stop = () => end(watcher, null);
      if (signal.aborted) watcher.stopped = true;
      else {
        begin(watcher);
        // A generator that is never started runs no `finally`: the signal ends the watching all the same.
        signal.addEventListener('abort', stop, { once: true });
      }
      return changesOf(watcher, show, () => {
        signal.removeEventListener('abort', stop);
        stop();
      });
    },
  };
}

/** Resolves when there is something to tell, or nothing more will come. */
const nextChange = <Row>(watcher: Watcher<Row>): Promise<void> =>
  new Promise((resolve) => {
    if (watcher.unread.size > 0 || watcher.stopped) resolve();
    else watcher.wake = resolve;
  });
