/**
 * The contract writes `job_title`, GraphQL `jobTitle`; the contract tells variants apart by a tag, GraphQL by a one-of.
 * Requests go one way here, and the paths of what is wrong with them the other.
 */
import { type Issue, ServiceError } from '../errors.ts';
import { detailOf } from '../validation.ts';

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** In GraphQL an `id` is always a global one: the contract's raw `id` of a part of a request has another name. */
const rawIdNames: Readonly<Record<string, string>> = { providerId: 'id' };

/** The one-of variant that an object of the request was written as, or that some of its keys were written in. */
interface Variant {
  readonly path: readonly string[];
  /** All keys of the object, where they are not said. */
  readonly keys?: ReadonlySet<string>;
}

/** For the paths of issues. */
const variantOf = new WeakMap<object, Variant>();

/** A GraphQL input in the words of the contract: the same values under the contract's keys. */
export function toSnakeCase(input: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [rawIdNames[key] ?? snakeCase(key), valueToSnakeCase(value)]),
  );
}

function valueToSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueToSnakeCase);
  return typeof value === 'object' && value !== null ? toSnakeCase(value) : value;
}

/**
 * A one-of input as the variant of a tagged union: `{ numeric: { … } }` with the tag `answer_type` is
 * `{ answer_type: 'numeric', … }`. Null and undefined stay as they are.
 * @throws ServiceError `invalid_parameters` unless exactly one variant is given: the executor checks it too, but what
 *   reaches a port must not depend on that
 */
export function tagOneOf(tag: string, oneOf: object | null | undefined): object | null | undefined {
  if (oneOf === null || oneOf === undefined) return oneOf;
  const given = Object.entries(oneOf).filter(([, value]) => value !== undefined && value !== null);
  const [variant] = given;
  if (variant === undefined || given.length > 1) {
    throw new ServiceError('invalid_parameters', { detail: 'Exactly one variant must be given.' });
  }
  const [name, value] = variant;
  const tagged = { [tag]: snakeCase(name), ...toSnakeCase(value as object) };
  variantOf.set(tagged, { path: [name] });
  return tagged;
}

/**
 * `common` together with the variant of its one-of field `tag`, where the contract has all in one object:
 * `{ name, source: { users: { events } } }` with the tag `source` is `{ name, source: 'users', events }`.
 */
export function flattenOneOf(tag: string, oneOf: object, common: object): object {
  const variant = tagOneOf(tag, oneOf) ?? {};
  const merged = { ...common, ...variant };
  const written = variantOf.get(variant)?.path ?? [];
  variantOf.set(merged, { path: [camelCase(tag), ...written], keys: new Set(Object.keys(variant)) });
  return merged;
}

/** The input without what is null, at any depth: for requests in which null can only mean "not given". */
export function withoutNulls<T>(input: T): T {
  if (Array.isArray(input)) return input.map(withoutNulls) as T;
  if (typeof input !== 'object' || input === null) return input;
  const given = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([key, value]) => [key, withoutNulls(value)])) as T;
}

/** Names of GraphQL that are not the contract's in camelCase: those of arguments, and those further inside. */
const renamed: readonly Readonly<Record<string, string>>[] = [
  { limit: 'first', cursor: 'after', id: 'webhookId' },
  { id: 'providerId' },
];

/** A failure with its issues in the words of the GraphQL request that had them. */
export function issuesInGraphQL(error: ServiceError, request: unknown, prefix: readonly string[] = []): ServiceError {
  if (error.issues.length === 0) return error;
  const issues = error.issues.map(({ path, message }) => ({
    path: [...prefix, ...graphqlPath(path, request)],
    message,
  }));
  const { status, title, family } = error;
  return new ServiceError(error.errorName, { issues, detail: detailOf(issues), cause: error, status, title, family });
}

function graphqlPath(path: Issue['path'], request: unknown): (string | number)[] {
  let at = request;
  return path.flatMap((segment, depth) => {
    const name = typeof segment === 'string' ? camelCase(segment) : segment;
    const variant = typeof at === 'object' && at !== null ? variantOf.get(at) : undefined;
    at = (at as Record<string | number, unknown> | null | undefined)?.[segment];
    const here = renamed[Math.min(depth, 1)]?.[name] ?? name;
    const within = variant?.keys?.has(String(segment)) === false ? undefined : variant;
    return within === undefined ? [here] : [...within.path, here];
  });
}
