/** A GraphQL response, as every client has it. */
export interface Response {
  readonly data?: unknown;
  readonly errors?: readonly ResponseError[];
}

interface ResponseError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** An item of a list that could not be read. */
export interface Skipped {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The `ErrorCode` of the gateway. */
  readonly code: string;
}

type Dropped = Map<unknown, Set<number>>;

/**
 * The response without the list items that have errors, and these errors. So one odd item costs neither its list nor the page,
 * whatever a client does with errors. An error outside of lists stays: what it is about could not be read as a whole.
 */
export function skipFailed<Given extends Response>(response: Given): { response: Given; skipped: readonly Skipped[] } {
  const dropped: Dropped = new Map();
  const kept: ResponseError[] = [];
  const skipped: Skipped[] = [];
  for (const error of response.errors ?? []) {
    if (!dropItem(response.data, error.path ?? [], dropped)) kept.push(error);
    else skipped.push({ path: error.path ?? [], message: error.message, code: String(error.extensions?.code) });
  }
  if (skipped.length === 0) return { response, skipped };
  const { errors: _, ...rest } = response;
  const whole: Response = { ...rest, data: without(response.data, dropped), ...(kept.length > 0 && { errors: kept }) };
  return { response: whole as Given, skipped };
}

/** Marks the innermost list item on the path. Returns whether there is one. */
function dropItem(data: unknown, path: readonly (string | number)[], dropped: Dropped): boolean {
  let found: [list: unknown[], index: number] | null = null;
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) break;
    if (Array.isArray(value) && typeof key === 'number') found = [value, key];
    value = (value as Record<string | number, unknown>)[key];
  }
  if (found === null) return false;
  const [list, index] = found;
  dropped.set(list, (dropped.get(list) ?? new Set()).add(index));
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
