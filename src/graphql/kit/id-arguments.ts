/**
 * Ids in arguments: each may be the raw id that the contract uses, or the global id that `node` takes. Both name the same
 * object, so a client passes on whichever it has. Operations see raw ids only.
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
  isObjectType,
} from 'graphql';
import { invalidParameters, shortened } from '../../kernel/issues.ts';
import { type IdKind, isGlobalId, parseGlobalId } from './node.ts';

/** What the arguments and input fields of each name are ids of, if their type is `ID`. */
export const idArguments: Readonly<Record<string, IdKind>> = {
  accountId: 'Account',
  accountIds: 'Account',
  jobId: 'Job',
  jobIds: 'Job',
  draftId: 'Job',
  webhookId: 'Webhook',
  deliveryId: 'Delivery',
};

/** Where ids stand in the value of an input. What is not in it is nobody's id: scalars of JSON have keys of any name. */
export interface IdPlaces {
  readonly [name: string]: IdKind | IdPlaces;
}

type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type'>;
type Path = readonly (string | number)[];

const placesOfInputs = new WeakMap<object, IdPlaces>();

/** Where ids stand in the arguments of a field. */
export function idPlacesOf(field: Pick<GraphQLField<unknown, unknown>, 'args'>): IdPlaces {
  return remembered(field.args, field.args);
}

/** @param key what the places are remembered by; an input object may have a field of its own type */
function remembered(key: object, inputs: readonly Input[]): IdPlaces {
  const known = placesOfInputs.get(key);
  if (known !== undefined) return known;
  const places: Record<string, IdKind | IdPlaces> = {};
  placesOfInputs.set(key, places);
  for (const { name, type } of inputs) {
    const place = placeOf(name, type);
    if (place !== undefined) places[name] = place;
  }
  return places;
}

function placeOf(name: string, type: GraphQLInputType): IdKind | IdPlaces | undefined {
  const named = getNamedType(type);
  if (named === GraphQLID) return Object.hasOwn(idArguments, name) ? idArguments[name] : undefined;
  return isInputObjectType(named) ? remembered(named, Object.values(named.getFields())) : undefined;
}

/**
 * Arguments with raw ids in the place of global ids. Without global ids they are the same object.
 * @throws ServiceError `invalid_parameters` with an issue for a global id of another kind of object
 */
export const withRawIds = <Args extends object>(args: Args, places: IdPlaces): Args =>
  // The shape stays: a string takes the place of a string.
  hasGlobalId(args, places) ? (replace(args, places, []) as Args) : args;

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

function replace(value: unknown, place: IdKind | IdPlaces | undefined, path: Path): unknown {
  if (place === undefined) return value;
  if (Array.isArray(value)) return value.map((entry, index) => replace(entry, place, [...path, index]));
  if (typeof place === 'string') return typeof value === 'string' ? rawId(value, place, path) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      replace(inner, Object.hasOwn(place, name) ? place[name] : undefined, [...path, name]),
    ]),
  );
}

function rawId(id: string, kind: IdKind, path: Path): string {
  const parsed = parseGlobalId(id);
  const [raw, ...others] = parsed?.rawIds ?? [];
  if (parsed === null || raw === undefined) return id;
  // What has several is no id of an object that arguments name.
  if (parsed.kind === kind) return others.length === 0 ? raw : id;
  throw invalidParameters([{ path, message: `must be an id of the type ${kind}, not ${shortened(parsed.kind)}` }]);
}

/** Lets queries and subscriptions take global ids; mutations do in mutation.ts, as their failures are data. */
export function acceptGlobalIds(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type === schema.getMutationType()) continue;
    for (const field of Object.values(type.getFields())) if (field.args.length > 0) accept(field);
  }
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
