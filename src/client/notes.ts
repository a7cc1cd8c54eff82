/** What a page tells its user, by what it is about. Outside of any framework: `useSyncExternalStore` of React reads it. */
export interface Notes<Note> {
  /** All notes. The same array until something changes. */
  readonly all: () => readonly Note[];
  /** Replaces the notes about something. */
  readonly set: (about: string, notes: readonly Note[]) => void;
  /** Calls the listener after each change, until the function that it returns is called. */
  readonly subscribe: (listener: () => void) => () => void;
}

export function createNotes<Note>(): Notes<Note> {
  const notesAbout = new Map<string, readonly Note[]>();
  const listeners = new Set<() => void>();
  let all: readonly Note[] = [];
  return {
    all: () => all,
    set(about, notes) {
      if (notes.length === 0 && !notesAbout.delete(about)) return;
      if (notes.length > 0) notesAbout.set(about, notes);
      all = [...notesAbout.values()].flat();
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
