/**
 * The contract writes `job_title`, GraphQL writes `jobTitle`. The contract marks a variant with a tag, GraphQL with a
 * one-of. This file maps requests from GraphQL to the contract, and the paths of invalid fields back.
 *
 * ```
 * { jobTitle, applyMethod: { external: { url } } }   the input, at input.applyMethod.external.url
 * { job_title, apply_method: { type: 'external', url } }   the request, at apply_method.url
 * ```
 */
import { type Issue, ServiceError } from '../../kernel/errors.ts';
import { detailOf } from '../../kernel/issues.ts';

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A raw `id` within a request. In GraphQL, `id` is always a global id. */
const rawIdName = { graphql: 'providerId', contract: 'id' } as const;

/** Arguments whose names are not the contract's in camelCase. */
const argumentNames: Readonly<Record<string, string>> = { limit: 'first', cursor: 'after', id: 'webhookId' };

/** A GraphQL input under the contract's keys, at any depth. Values stay as they are. */
export function toSnakeCase(input: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key === rawIdName.graphql ? rawIdName.contract : snakeCase(key),
      valueToSnakeCase(value),
    ]),
  );
}

function valueToSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueToSnakeCase);
  return isObject(value) ? toSnakeCase(value) : value;
}

/**
 * For objects that were one-ofs in the input: the path that leads from the place of the object to a key of it in the
 * input. Kept outside of the objects, as a request has the contract's keys and no others.
 */
const variantPaths = new WeakMap<object, (key: string | number) => readonly string[]>();

/**
 * A one-of as the variant of a tagged union. With the tag `type`,
 * `{ external: { url } }` is `{ type: 'external', url }`. Null and undefined stay as they are.
 * @throws ServiceError `invalid_parameters` unless exactly one variant is given
 */
export function tagOneOf(tag: string, oneOf: object | null | undefined): object | null | undefined {
  if (oneOf === null || oneOf === undefined) return oneOf;
  const { name, tagged } = tagVariant(tag, oneOf);
  variantPaths.set(tagged, () => [name]);
  return tagged;
}

/**
 * `common` and the variant of a one-of in one object: with the tag `source` and the name as common, the input
 * `{ name, source: { users: { events } } }` is `{ name, source: 'users', events }`.
 * @throws ServiceError `invalid_parameters` unless exactly one variant is given
 */
export function flattenOneOf(tag: string, oneOf: object, common: object): object {
  const { name, tagged } = tagVariant(tag, oneOf);
  const flat = { ...common, ...tagged };
  variantPaths.set(flat, (key) => (Object.hasOwn(tagged, key) ? [camelCase(tag), name] : []));
  return flat;
}

function tagVariant(tag: string, oneOf: object): { readonly name: string; readonly tagged: object } {
  const [variant, ...others] = Object.entries(oneOf).filter(([, value]) => isObject(value));
  // The executor checks it too, but what reaches a port must not depend on that.
  if (variant === undefined || others.length > 0) {
    throw new ServiceError('invalid_parameters', { detail: 'Exactly one variant must be given.' });
  }
  const [name, value] = variant;
  return { name, tagged: { [tag]: snakeCase(name), ...toSnakeCase(value) } };
}

/**
 * The failure with the path of each issue as the GraphQL request has it.
 * @param request in the contract's terms; its one-ofs were mapped by {@link tagOneOf} or {@link flattenOneOf}
 * @param prefix where the request is among the arguments
 */
export function issuesInGraphQL(
  error: ServiceError,
  request: unknown = {},
  prefix: readonly string[] = [],
): ServiceError {
  if (error.issues.length === 0) return error;
  const issues = error.issues.map(({ path, message }) => ({
    path: [...prefix, ...graphqlPath(path, request)],
    message,
  }));
  const { status, title, family, moreIssues } = error;
  const detail = detailOf(issues, moreIssues);
  return new ServiceError(error.errorName, { issues, moreIssues, detail, cause: error, status, title, family });
}

function graphqlPath(path: Issue['path'], request: unknown): (string | number)[] {
  let parent = request;
  return path.flatMap((key, depth) => {
    const variantPath = isObject(parent) ? (variantPaths.get(parent)?.(key) ?? []) : [];
    parent = isObject(parent) ? Reflect.get(parent, key) : undefined;
    return [...variantPath, graphqlName(key, depth)];
  });
}

function graphqlName(key: string | number, depth: number): string | number {
  if (typeof key === 'number') return key;
  if (depth === 0) return argumentNames[key] ?? camelCase(key);
  return key === rawIdName.contract ? rawIdName.graphql : camelCase(key);
}
