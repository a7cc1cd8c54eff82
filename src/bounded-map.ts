/** A cache of a fixed size. Adding an entry to a full one drops the entry that was not used for the longest time. */
export class BoundedMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #size: number;
  readonly #dropped: (value: Value) => void;
  #last: Key | undefined;

  /**
   * @param size number of entries, at least 1
   * @param dropped is told each value that makes room for another
   */
  constructor(size: number, dropped: (value: Value) => void = () => undefined) {
    this.#size = size;
    this.#dropped = dropped;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    // What was used last stands last already.
    if (value !== undefined && key !== this.#last) this.set(key, value);
    return value;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  set(key: Key, value: Value): void {
    // A Map iterates in the order of insertion: the first key is the one that was not used for the longest time.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#last = key;
    const [oldest] = this.#entries.size > this.#size ? this.#entries : [];
    if (oldest === undefined) return;
    this.#entries.delete(oldest[0]);
    this.#dropped(oldest[1]);
  }
}
