/**
 * Global ids of Relay's object identification, and arguments: these take raw ids or global ids, whichever a client has.
 * Operations see raw ids only.
 *
 * Why not `@pothos/plugin-relay`: its ids are the name of an object type and one string. A webhook has one of two
 * types, known only when it is read; ids of posts contain two raw ids.
 */
import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import type { Issue } from '../../kernel/errors.ts';
import { invalidParameters, shortened } from '../../kernel/issues.ts';
import { fieldsOf } from './schema-fields.ts';

/** Given by a capability with `registerNode` (node.ts). */
export type IdKind = string;

/** @param rawIds of the object; for an object of a post, of the reading account and the object */
export const globalId = (kind: IdKind, ...rawIds: readonly string[]): string =>
  Buffer.from(JSON.stringify([kind, ...rawIds])).toString('base64url');

/** Start of a global id's text, before its last raw id (a string in quotes) and {@link idSuffix}. */
export const idPrefix = (kind: IdKind, ...rawIds: readonly string[]): string =>
  `${JSON.stringify([kind, ...rawIds]).slice(0, -idSuffix.length)},`;

export const idSuffix = ']';

const idStart = Buffer.from('["').toString('base64url').slice(0, -1);

/** Whether a text may be a global id; {@link parseGlobalId} decides. */
const isGlobalId = (id: string): boolean => id.startsWith(idStart);

export function parseGlobalId(id: string): { readonly kind: string; readonly rawIds: readonly string[] } | null {
  if (!isGlobalId(id)) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    if (!Array.isArray(parsed) || !parsed.every((part) => typeof part === 'string')) return null;
    const [kind, ...rawIds] = parsed;
    return kind === undefined ? null : { kind, rawIds };
  } catch {
    // Not written by this gateway.
    return null;
  }
}

/** Kinds of id by the name of an argument or input field of type `ID`. */
export const idArguments: Readonly<Record<string, IdKind>> = {
  accountId: 'Account',
  accountIds: 'Account',
  jobId: 'Job',
  jobIds: 'Job',
  webhookId: 'Webhook',
  webhookIds: 'Webhook',
  deliveryId: 'Delivery',
  eventId: 'AccountEvent',
};

/** Places of ids within an input. Keys of JSON scalars are no ids, whatever their names. */
export interface IdPlaces {
  readonly [name: string]: IdKind | IdPlaces;
}

type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type'>;
type ArgumentPath = readonly (string | number)[];

export function idPlacesOf({ args }: Pick<GraphQLField<unknown, unknown>, 'args'>): IdPlaces {
  /** An input object may have a field of its own type. */
  const known = new Map<GraphQLInputType, IdPlaces>();

  function placesIn(inputs: readonly Input[], places: Record<string, IdKind | IdPlaces>): IdPlaces {
    for (const { name, type } of inputs) {
      const place = placeOf(name, getNamedType(type));
      if (place !== undefined) places[name] = place;
    }
    return places;
  }

  function placeOf(name: string, type: GraphQLInputType): IdKind | IdPlaces | undefined {
    if (type === GraphQLID) return Object.hasOwn(idArguments, name) ? idArguments[name] : undefined;
    if (!isInputObjectType(type)) return undefined;
    const before = known.get(type);
    if (before !== undefined) return before;
    const places = {};
    known.set(type, places);
    return placesIn(Object.values(type.getFields()), places);
  }

  return placesIn(args, {});
}

/**
 * Replaces global ids by raw ids; without any it returns the same object.
 * @throws ServiceError `invalid_parameters` with an issue for each global id of another kind of object
 */
export function withRawIds<Args extends object>(args: Args, places: IdPlaces): Args {
  if (!hasGlobalId(args, places)) return args;
  const issues: Issue[] = [];
  // A string replaces a string, so the shape stays.
  const replaced = replace(args, places, { path: [], issues }) as Args;
  if (issues.length > 0) throw invalidParameters(issues);
  return replaced;
}

function hasGlobalId(value: unknown, place: IdKind | IdPlaces): boolean {
  if (Array.isArray(value)) return value.some((entry) => hasGlobalId(entry, place));
  if (typeof place === 'string') return typeof value === 'string' && isGlobalId(value);
  if (typeof value !== 'object' || value === null) return false;
  for (const name in place) {
    const inner = place[name];
    if (inner !== undefined && hasGlobalId(Reflect.get(value, name), inner)) return true;
  }
  return false;
}

interface At {
  readonly path: ArgumentPath;
  readonly issues: Issue[];
}

function replace(value: unknown, place: IdKind | IdPlaces | undefined, { path, issues }: At): unknown {
  if (place === undefined) return value;
  const within = (key: string | number): At => ({ path: [...path, key], issues });
  if (Array.isArray(value)) return value.map((entry, index) => replace(entry, place, within(index)));
  if (typeof place === 'string') return typeof value === 'string' ? toRawId(value, place, { path, issues }) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      replace(inner, Object.hasOwn(place, name) ? place[name] : undefined, within(name)),
    ]),
  );
}

function toRawId(id: string, kind: IdKind, { path, issues }: At): string {
  const parsed = parseGlobalId(id);
  const [raw, ...others] = parsed?.rawIds ?? [];
  if (parsed === null || raw === undefined) return id;
  // Arguments name no objects with several raw ids.
  if (parsed.kind === kind) return others.length === 0 ? raw : id;
  const message = `must be an id of the type ${kind}, not ${shortened(parsed.kind)}`;
  issues.push({ path, code: 'malformed', message });
  return id;
}

/** For queries and subscriptions; mutation.ts does it for mutations, whose failures are data. */
export function acceptGlobalIds(schema: GraphQLSchema): GraphQLSchema {
  for (const { type, field } of fieldsOf(schema))
    if (type !== schema.getMutationType() && field.args.length > 0) accept(field);
  return schema;
}

function accept(field: GraphQLField<unknown, unknown>): void {
  const { resolve, subscribe } = field;
  const places = idPlacesOf(field);
  if (Object.keys(places).length === 0) return;
  if (resolve !== undefined)
    field.resolve = (parent, args, ...rest) => resolve(parent, withRawIds(args, places), ...rest);
  if (subscribe !== undefined)
    field.subscribe = (parent, args, ...rest) => subscribe(parent, withRawIds(args, places), ...rest);
}
