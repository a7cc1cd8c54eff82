/**
 * Maps requests from GraphQL to the contract, and paths of issues back: camelCase to snake_case, one-ofs to tagged
 * variants.
 *
 * ```
 * { jobTitle, applyMethod: { external: { url } } } the input, at input.applyMethod.external.url
 * { job_title, apply_method: { type: 'external', url } } the request, at apply_method.url
 * ```
 */
import { type Issue, ServiceError } from '../../kernel/errors.ts';
import { detailOf } from '../../kernel/issues.ts';
import { enumName } from './enums.ts';

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const isObjectOrList = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A raw `id` within a request; in GraphQL, `id` is always a global id. */
const rawIdName = { graphql: 'providerId', contract: 'id' } as const;

/** Arguments whose names are not the contract's in camelCase. */
const argumentNames: Readonly<Record<string, string>> = {
  limit: 'first',
  cursor: 'after',
  id: 'webhookId',
  enabled: 'isEnabled',
};

/** The contract's names of fields, where GraphQL has others. */
type Names = Readonly<Record<string, string>>;

/** @param names of the input's own fields, not of those within */
export function toSnakeCase(input: object, names: Names = {}): Record<string, unknown> {
  const request = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [contractName(key, names), valueToSnakeCase(value)]),
  );
  if (Object.keys(names).length > 0) pathsOf.set(request, (key) => [graphqlName(key, names)]);
  return request;
}

function valueToSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueToSnakeCase);
  return isObjectOrList(value) ? toSnakeCase(value) : value;
}

/** Paths in the input of what one-ofs and renamed fields became. A WeakMap, as requests have the contract's keys and no others. */
const pathsOf = new WeakMap<object, (key: string) => readonly string[]>();

/**
 * With the tag `type`, `{ external: { url } }` becomes `{ type: 'external', url }`. Null and undefined stay.
 * @throws ServiceError `invalid_parameters` unless exactly one variant is given
 */
export function tagOneOf(tag: string, oneOf: object | null | undefined, names: Names = {}): object | null | undefined {
  if (oneOf === null || oneOf === undefined) return oneOf;
  const [variant, ...others] = Object.entries(oneOf).filter(([, value]) => isObjectOrList(value));
  // The executor checks it too, but ports must not depend on that.
  if (variant === undefined || others.length > 0) {
    throw new ServiceError('invalid_parameters', { detail: 'Exactly one variant must be given.' });
  }
  const [name, value] = variant;
  const tagged = { [tag]: snakeCase(name), ...toSnakeCase(value, names) };
  pathsOf.set(tagged, (key) => (key === tag ? [] : [name, graphqlName(key, names)]));
  return tagged;
}

/**
 * The fields of an object of the input beside those around it: with the place `posting`, the input
 * `{ jobId, posting: { jobTitle } }` is `{ job_id, job_title }`.
 */
export function unwrapped(place: string, inner: object, common: object): object {
  const around = new Set(Object.keys(common));
  const pathOf = pathsOf.get(inner) ?? ((key) => [graphqlName(key)]);
  const flat = { ...common, ...inner };
  pathsOf.set(flat, (key) => (around.has(key) ? [graphqlName(key)] : [place, ...pathOf(key)]));
  return flat;
}

/**
 * Replaces each issue's path by that of the GraphQL request.
 * @param request mapped by {@link tagOneOf} or {@link unwrapped}
 * @param prefix path of the request among the arguments
 */
export function issuesInGraphQL(
  error: ServiceError,
  request: unknown = {},
  prefix: readonly string[] = [],
): ServiceError {
  if (error.issues.length === 0) return error;
  const issues = error.issues.map((issue) => ({
    ...issue,
    ...(isOfPageSize(issue) && fromZero),
    ...(issue.code === 'not_allowed' && { message: inWordsOfEnums(issue.message) }),
    path: [...prefix, ...graphqlPath(issue.path, request)],
  }));
  const { moreIssues } = error;
  // A sentence of its own names no path.
  const saysPaths = (error.detail ?? detailOf(error.issues, moreIssues)) === detailOf(error.issues, moreIssues);
  const detail = saysPaths ? detailOf(issues, moreIssues) : error.detail;
  return error.with({ issues, detail, cause: error });
}

/** The words that are listed. */
const inWordsOfEnums = (message: string): string =>
  message.replace(/(?<=^must be (?:one of )?)\w+(?:, \w+)*$/, (words) => words.split(', ').map(enumName).join(', '));

const isOfPageSize = ({ path, code }: Issue): boolean =>
  path.length === 1 && path[0] === 'limit' && code === 'too_small';

/** `first` takes 0, which `limit` does not. */
const fromZero = { limit: 0, message: 'must be at least 0' } as const;

function graphqlPath(path: Issue['path'], request: unknown): (string | number)[] {
  let parent = request;
  return path.flatMap((key, depth): readonly (string | number)[] => {
    const pathOf = isObjectOrList(parent) ? pathsOf.get(parent) : undefined;
    parent = isObjectOrList(parent) ? Reflect.get(parent, key) : undefined;
    if (typeof key === 'number') return [key];
    return pathOf?.(key) ?? [(depth === 0 ? argumentNames[key] : undefined) ?? graphqlName(key)];
  });
}

const contractName = (name: string, names: Names): string =>
  names[name] ?? (name === rawIdName.graphql ? rawIdName.contract : snakeCase(name));

function graphqlName(key: string, names: Names = {}): string {
  const [renamed] = Object.entries(names).find(([, contract]) => contract === key) ?? [];
  return renamed ?? (key === rawIdName.contract ? rawIdName.graphql : camelCase(key));
}
