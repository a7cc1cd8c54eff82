/** Entries that are found by comparing keys one by one. */
const fewEntries = 8;

/**
 * A Map by strings, made for few of them that nobody uses again, such as those of one request. V8 internalizes each key of a Map: it
 * copies the string into the old generation, which takes longer than comparing eight, and stays until a major collection.
 */
export class SmallMap<Value> {
  readonly #keys: string[] = [];
  readonly #values: Value[] = [];
  /** Places of the keys behind the first few. */
  #places: Map<string, number> | undefined;

  get(key: string): Value | undefined {
    const place = this.#placeOf(key);
    return place === -1 ? undefined : this.#values[place];
  }

  has(key: string): boolean {
    return this.#placeOf(key) !== -1;
  }

  set(key: string, value: Value): void {
    const known = this.#placeOf(key);
    const place = known === -1 ? this.#keys.push(key) - 1 : known;
    this.#values[place] = value;
    if (known !== -1 || place < fewEntries) return;
    this.#places ??= new Map();
    this.#places.set(key, place);
  }

  /** In the order of a Map. */
  values(): readonly Value[] {
    return this.#values;
  }

  #placeOf(key: string): number {
    const few = Math.min(fewEntries, this.#keys.length);
    for (let place = 0; place < few; place += 1) if (this.#keys[place] === key) return place;
    return this.#places?.get(key) ?? -1;
  }
}
