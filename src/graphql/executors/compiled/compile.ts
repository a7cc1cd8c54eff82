/**
 * Compiles a query to a plan for the splicer: notes on JSON pages, and the response printed from them. All is read off the
 * schema: places of values (wire.ts), the contract's requirements (network-values.ts), sources of pages (source.ts).
 */
import {
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import type { Scope } from '../../../kernel/caller.ts';
import { itself, type Part } from '../../../splice/plan.ts';
import {
  type Collected,
  collectFields,
  type Fragments,
  fragmentApplies,
  selectionSetsOf,
} from '../../cost/selections.ts';
import { type IdKind, idSuffix } from '../../kit/global-ids.ts';
import { type GivenArguments, givenArgumentsOf } from '../../kit/source.ts';
import { isRequired, nameOf, type RawIds, tagOf, type WireValue, wireOf } from '../../kit/wire.ts';
import { Declined } from '../declined.ts';
import { addShape, leafRuleOf, type MutableShape, textPart, wordsRuleOf } from './parts.ts';

export interface Compiling {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly includes: (selection: SelectionSetNode['selections'][number]) => boolean;
  /** Counts the fields of one object. @throws Declined beyond a plan's bound */
  readonly count: (selected: Collected['fields']) => void;
  /** What the plan prints is for callers with the scope. */
  readonly needs: (scope: Scope) => void;
  /** The parameter that the global ids of a kind begin with. */
  readonly prefixOf: (kind: IdKind) => number;
  /** A list or an item below an object. @throws Declined for one without JSON */
  readonly innerOf: (place: InnerPlace, given: GivenArguments) => Part;
}

export interface InnerPlace {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
  readonly nodes: readonly FieldNode[];
  /** Shape of the parent. */
  readonly shape: MutableShape;
}

/** What all lists of an operation share. */
export type CompilingShared = Omit<Compiling, 'prefixOf' | 'innerOf'>;

export function selectedOf(
  { schema, fragments, includes, count }: CompilingShared,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): Collected['fields'] {
  const applies = (condition: string) => fragmentApplies(schema, type, condition);
  const { fields } = collectFields(sets, fragments, { includes, applies });
  count(fields);
  return fields;
}

/** @param shape gets the notes on the object. @throws Declined for a selection that a plan cannot say */
export function compileObject(
  compiling: Compiling,
  type: GraphQLObjectType | GraphQLAbstractType,
  sets: readonly SelectionSetNode[],
  shape: MutableShape,
): Part[] {
  if (isObjectType(type)) {
    const parts = ofType(compiling, type, sets, shape);
    const name = nameOf(type);
    if (name === undefined) return parts;
    addShape(shape, 'object', 'leaf');
    return [{ kind: 'switch', key: 'object', cases: { [name]: parts } }];
  }
  const tag = tagOf(type);
  if (tag === undefined) throw new Declined(`the types of ${type.name} have no tag`);
  const partsOf = (name: string): Part[] => {
    const possible = compiling.schema.getType(name);
    if (!isObjectType(possible)) throw new Declined(`${name} is no object type`);
    return ofType(compiling, possible, sets, shape);
  };
  addShape(shape, tag.key, 'leaf');
  return [
    {
      kind: 'switch',
      key: tag.key,
      cases: Object.fromEntries(Object.entries(tag.types).map(([word, name]) => [word, partsOf(name)])),
    },
  ];
}

const ofType = (
  compiling: Compiling,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  shape: MutableShape,
): Part[] => compileFields(compiling, type, sets, (_, nodes) => [partOf(compiling, type, nodes, shape)]);

/** In braces. @param partsFor a field's value, by its name in the schema; `__typename` is printed here */
export function compileFields(
  compiling: Compiling,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  partsFor: (name: string, nodes: readonly FieldNode[]) => readonly Part[],
): Part[] {
  const parts: Part[] = [];
  for (const [key, nodes] of selectedOf(compiling, type, sets)) {
    parts.push(textPart(`${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:`));
    const name = nodes[0]?.name.value ?? '';
    parts.push(...(name === '__typename' ? [textPart(JSON.stringify(type.name))] : partsFor(name, nodes)));
  }
  return parts.length === 0 ? [textPart('{}')] : [...parts, textPart('}')];
}

function partOf(
  compiling: Compiling,
  parent: GraphQLObjectType,
  nodes: readonly FieldNode[],
  shape: MutableShape,
): Part {
  const name = nodes[0]?.name.value ?? '';
  const field = parent.getFields()[name];
  const given = field && givenArgumentsOf(field);
  if (field !== undefined && given !== undefined) return compiling.innerOf({ parent, field, nodes, shape }, given);
  const wire = field && wireOf(field);
  if (field === undefined || wire === undefined || field.args.length > 0) throw knownToResolver(parent, name);
  if ('constant' in wire) return textPart(JSON.stringify(wire.constant));
  if ('present' in wire) {
    addShape(shape, wire.present, 'leaf');
    return { kind: 'presence', key: wire.present };
  }
  if ('globalId' in wire) {
    const { globalId, preferred } = wire;
    const prefix = compiling.prefixOf(globalId);
    const idOf = ({ ownedBy: first, key }: RawIds): Part => {
      if (first !== undefined) addShape(shape, first.object, { object: { [first.key]: 'leaf' } });
      addShape(shape, key, 'leaf');
      return { kind: 'base64url', key, first, prefix, suffix: idSuffix };
    };
    const id = idOf(wire);
    if (preferred === undefined) return id;
    const otherwise = [id];
    const parts = [idOf(preferred)];
    const ofOwner: Part = { kind: 'choice', key: preferred.ownedBy.object, parts, otherwise };
    return { kind: 'choice', key: preferred.key, parts: [ofOwner], otherwise };
  }
  if ('firstOf' in wire) return wordOf(field, wire, shape);
  // What cannot be null is required, whatever the contract says.
  const emptyIsNull = 'exposed' in wire && wire.emptyIsNull;
  const required = isNonNullType(field.type) || isRequired(field) || emptyIsNull === true;
  if ('part' in wire) return valueAt(compiling, field, { key: wire.part, required, nodes, shape });
  const { exposed: key, within, scope } = wire;
  if (scope !== undefined) compiling.needs(scope);
  if (within === undefined) return valueAt(compiling, field, { key, required, emptyIsNull, nodes, shape });
  const inner: MutableShape = {};
  const part = valueAt(compiling, field, { key, required, nodes, shape: inner });
  addShape(shape, within, { object: inner });
  return { kind: 'object', key: within, required, parts: [part] };
}

function wordOf(
  { name, type }: GraphQLField<unknown, unknown>,
  { firstOf: key, words }: Extract<WireValue, { readonly firstOf: string }>,
  shape: MutableShape,
): Part {
  const named = getNamedType(type);
  if (!isLeafType(named)) throw new Declined(`${name} is no word`);
  addShape(shape, key, { list: 'leaf' });
  const word: Part = { kind: 'leaf', key: itself, rule: wordsRuleOf(named, words), required: false };
  return { kind: 'first', key, required: false, parts: [word] };
}

export const knownToResolver = (parent: GraphQLObjectType, name: string): Declined =>
  new Declined(`${parent.name}.${name} is known to its resolver only`);

function valueAt(
  compiling: Compiling,
  { type }: GraphQLField<unknown, unknown>,
  {
    key,
    required,
    emptyIsNull,
    nodes,
    shape,
  }: {
    readonly key: string;
    readonly required: boolean;
    readonly emptyIsNull?: boolean | undefined;
    readonly nodes: readonly FieldNode[];
    readonly shape: MutableShape;
  },
): Part {
  const named = getNamedType(type);
  const nullable = getNullableType(type);
  const isList = isListType(nullable);
  if (isLeafType(named)) {
    const rule = leafRuleOf(named);
    addShape(shape, key, isList ? { list: 'leaf' } : 'leaf');
    if (!isList) return { kind: 'leaf', key, rule, required };
    const entry: Part = { kind: 'leaf', key: itself, rule, required: isNonNullType(nullable.ofType) };
    return { kind: 'list', key, required, parts: [entry] };
  }
  const inner: MutableShape = {};
  const parts = compileObject(compiling, named, selectionSetsOf(nodes), inner);
  addShape(shape, key, isList ? { list: inner } : { object: inner });
  return isList ? { kind: 'list', key, required, emptyIsNull, parts } : { kind: 'object', key, required, parts };
}
