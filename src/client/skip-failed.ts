/** A GraphQL response, as every client has it. A request that was refused has no `data`. */
export interface Result<Data = unknown> {
  readonly data?: Data | null | undefined;
  readonly errors?: readonly ResponseError[];
}

export interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** An item of a list that could not be read, with its first error. */
export interface Skipped {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The `ErrorCode` of the gateway. */
  readonly code: string;
}

type Dropped = Map<unknown, Set<number>>;

/**
 * The response without the list items that have errors, and these items. So one odd item costs neither its list nor the page,
 * whatever a client does with errors. An error outside of lists stays: what it is about could not be read as a whole.
 */
export function skipFailed<Given extends Result>(response: Given): { response: Given; skipped: readonly Skipped[] } {
  const dropped: Dropped = new Map();
  const kept: ResponseError[] = [];
  const skipped: Skipped[] = [];
  for (const error of response.errors ?? []) {
    const { path = [], message, extensions } = error;
    const item = itemOn(response.data, path);
    if (item === null) kept.push(error);
    else if (drop(item, dropped)) skipped.push({ path, message, code: String(extensions?.code) });
  }
  if (skipped.length === 0) return { response, skipped };
  const { errors: _, ...rest } = response;
  const whole: Result = { ...rest, data: without(response.data, dropped), ...(kept.length > 0 && { errors: kept }) };
  return { response: whole as Given, skipped };
}

interface Item {
  readonly list: unknown[];
  readonly index: number;
}

/** The innermost list item on the path, if there is one. */
function itemOn(data: unknown, path: readonly (string | number)[]): Item | null {
  let found: Item | null = null;
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    if (Array.isArray(value) && typeof key === 'number') found = { list: value, index: key };
    value = (value as Record<string | number, unknown>)[key];
  }
  return found;
}

/** Returns whether the item was not dropped before: it can have several errors. */
function drop({ list, index }: Item, dropped: Dropped): boolean {
  const indexes = dropped.get(list);
  if (indexes?.has(index)) return false;
  dropped.set(list, (indexes ?? new Set()).add(index));
  return true;
}

function without(value: unknown, dropped: Dropped): unknown {
  if (Array.isArray(value)) {
    const gone = dropped.get(value);
    return value.filter((_, index) => !gone?.has(index)).map((item) => without(item, dropped));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, without(inner, dropped)]));
}
