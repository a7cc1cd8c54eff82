/** Watching: each watcher gets the newest states of what it watches, as fast as it reads, from a feed (watch-feed.ts). */
import { ServiceError } from '../kernel/errors.ts';
import type { Pacer } from '../kernel/lib/pacer.ts';

/** The most unread states of one watcher. Beyond it, see {@link Overflow}. */
export const maxUnread = 1_000;

/** The oldest are dropped where what changes again is told again; where each is told once, the watcher fails. */
export type Overflow = 'drops' | 'fails';

/** Clients read what they list again, and subscribe again. */
export const missedChanges = () =>
  new ServiceError('service_unavailable', { detail: 'Changes may have been missed. Subscribe again.' });

/** What the feed knows of one watcher, and what that has not read yet. */
export class Watcher<Scope, State> {
  readonly scope: Scope;
  readonly #overflow: Overflow;
  #unread = new Map<string, State>();
  /** Ids of the states that were put first, which the feed may find as well, once. */
  #preceding = new Set<string>();
  #end: { readonly error?: unknown } | null = null;
  #wake = () => {};

  constructor(scope: Scope, overflow: Overflow = 'drops') {
    this.scope = scope;
    this.#overflow = overflow;
  }

  post(id: string, state: State): void {
    if (this.#end !== null || this.#preceding.delete(id)) return;
    this.#unread.delete(id);
    this.#unread.set(id, state);
    const [oldest] = this.#unread.keys();
    if (this.#unread.size > maxUnread && oldest !== undefined) {
      if (this.#overflow === 'fails') this.fail(missedChanges());
      else this.#unread.delete(oldest);
    }
    this.#wake();
  }

  /** Puts states before those that are unread. Each is told once, even if the feed posts it later. */
  precede(states: readonly (readonly [id: string, state: State])[]): void {
    if (this.#end !== null) return;
    this.#preceding = new Set(states.map(([id]) => id));
    this.#unread = new Map([...states, ...this.#unread]);
    this.#wake();
  }

  /** Nothing more will come, what is unread included. */
  close(): void {
    this.#stop({});
  }

  /** As {@link close}; the stream ends with the error. */
  fail(error: unknown): void {
    this.#stop({ error });
  }

  /** Resolves when there is something to take, or nothing more will come. */
  ready(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#unread.size > 0 || this.#end !== null) resolve();
      else this.#wake = resolve;
    });
  }

  /** The oldest unread state, the newest of its row; null at the end. @throws what the watcher failed with */
  take(): { readonly state: State } | 'empty' | null {
    if (this.#end !== null) {
      if ('error' in this.#end) throw this.#end.error;
      return null;
    }
    for (const [id, state] of this.#unread) {
      this.#unread.delete(id);
      return { state };
    }
    return 'empty';
  }

  #stop(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#unread.clear();
    this.#preceding.clear();
    this.#wake();
  }
}

/**
 * Yields the states of a watcher, as it reads them.
 * @param pacer shared by a feed's watchers: few go on in one turn. @param show null for a hidden state
 */
export async function* shownOf<State, Shown>(
  watcher: Watcher<unknown, State>,
  pacer: Pacer,
  show: (state: State) => Shown | null,
  stop: () => void,
): AsyncGenerator<Shown, void> {
  try {
    for (;;) {
      await watcher.ready();
      await pacer.next();
      // Taken last, so that the state is as new as can be.
      for (let taken = watcher.take(); taken !== 'empty'; taken = watcher.take()) {
        if (taken === null) return;
        const shown = show(taken.state);
        if (shown === null) continue;
        yield shown;
        break;
      }
    }
  } finally {
    stop();
  }
}
