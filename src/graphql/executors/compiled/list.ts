/** A list as a template, with its parameters and the lists within it. */
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import type { Part } from '../../../splice/plan.ts';
import { selectionSetsOf } from '../../cost/selections.ts';
import type { Connection } from '../../kit/connection.ts';
import { type IdKind, idPrefix } from '../../kit/global-ids.ts';
import { type AnyListSource, type GivenArguments, givenArgumentsOf, listSourceOf } from '../../kit/list-source.ts';
import { shownBy } from '../../kit/wire.ts';
import { Declined } from '../declined.ts';
import { type Compiling, type CompilingLists, compileFields, compileObject, knownToResolver } from './compile.ts';
import { addShape, type MutableShape, textPart } from './parts.ts';
import { compileArguments, type ReadValues } from './readers.ts';
import { compileField, type PrintValue, readField } from './values.ts';

export interface CompiledList {
  readonly args: ReadValues;
  /** By the object above the list; null for a root field. */
  readonly given: GivenArguments | null;
  readonly template: number;
  readonly parameters: readonly ((connection: Connection<unknown>, accountId: string | null) => string)[];
  readonly itemParameters: readonly PrintValue[];
  /** As the field `edges` has them; null where it is not selected. */
  readonly edgesOf: ((connection: Connection<unknown>) => unknown) | null;
  readonly inner: readonly CompiledList[];
}

/** Lists of an operation are of one source. They share the notes on its items, and so its pages. */
export interface ListScope extends CompilingLists {
  readonly source: AnyListSource;
  /** Key of the items in a page. */
  readonly items: string;
  readonly shape: MutableShape;
  readonly templates: Part[][];
}

/** @throws Declined for a selection that a plan cannot say */
export function compileList(
  scope: ListScope,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  given: GivenArguments | null = null,
): CompiledList {
  const type = objectOf(field);
  const [node] = nodes;
  if (node === undefined) throw new Declined(`${field.name} is not selected`);
  const { parameters, itemParameters, prefixOf } = collectParameters();
  const inner: CompiledList[] = [];
  const compiling: Compiling = {
    ...scope,
    prefixOf,
    innerOf({ parent, field: innerField, nodes: innerNodes, shape }) {
      const givenHere = givenArgumentsOf(innerField);
      if (givenHere === undefined || listSourceOf(innerField) !== scope.source)
        throw knownToResolver(parent, innerField.name);
      const list = inner.push(compileList(scope, innerField, innerNodes, givenHere)) - 1;
      return { kind: 'inner', asks: askingFor(list, givenHere, shape) };
    },
  };
  let edgesOf: CompiledList['edgesOf'] = null;
  const parts = compileFields(compiling, type, selectionSetsOf(nodes), (name, fieldNodes) => {
    const shownField = type.getFields()[name];
    const shown = shownField && shownBy(shownField);
    if (shown === 'size') throw knownToResolver(type, name);
    if (shownField === undefined || shown === undefined) {
      return [{ kind: 'parameter', index: parameters.push(compileField(compiling, type, fieldNodes)) - 1 }];
    }
    const sets = selectionSetsOf(fieldNodes);
    if (shown === 'edges') edgesOf = readField(shownField);
    const items =
      shown === 'items'
        ? compileItem(compiling, shownField, sets, scope.shape)
        : compileEdge(compiling, objectOf(shownField), sets, { shape: scope.shape, itemParameters });
    return [textPart('['), { kind: 'window', key: scope.items, parts: items }, textPart(']')];
  });
  const template = scope.templates.push(parts) - 1;
  return { args: compileArguments(field, node), given, template, parameters, itemParameters, edgesOf, inner };
}

/** An inner list as it is asked for. */
export interface Asked {
  readonly list: number;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Parts that print {@link Asked}. */
function askingFor(list: number, { ids, flags }: GivenArguments, shape: MutableShape): Part[] {
  const leaves = [
    ...Object.entries(ids).map(([name, key]) => ({ name, key, rule: 'string', required: true }) as const),
    ...Object.entries(flags).map(([name, key]) => ({ name, key, rule: 'boolean', required: false }) as const),
  ];
  const given = leaves.flatMap(({ name, key = name, rule, required }, at): Part[] => {
    addShape(shape, key, 'leaf');
    return [textPart(`${at === 0 ? '' : ','}${JSON.stringify(name)}:`), { kind: 'leaf', key, rule, required }];
  });
  return [textPart(`{"list":${list},"given":{`), ...given, textPart('}}')];
}

function collectParameters() {
  const parameters: CompiledList['parameters'][number][] = [];
  const itemParameters: PrintValue[] = [];
  const prefixes = new Map<IdKind, number>();
  const prefixOf = (kind: IdKind): number => {
    const index =
      prefixes.get(kind) ??
      parameters.push((_, accountId) => (accountId === null ? idPrefix(kind) : idPrefix(kind, accountId))) - 1;
    prefixes.set(kind, index);
    return index;
  };
  return { parameters, itemParameters, prefixOf };
}

function compileItem(
  compiling: Compiling,
  field: GraphQLField<unknown, unknown>,
  sets: readonly SelectionSetNode[],
  shape: MutableShape,
): Part[] {
  const item = getNamedType(field.type);
  if (!isObjectType(item) && !isAbstractType(item)) throw new Declined(`${field.name} has no objects`);
  return compileObject(compiling, item, sets, shape);
}

function compileEdge(
  compiling: Compiling,
  edge: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  { shape, itemParameters }: { readonly shape: MutableShape; readonly itemParameters: PrintValue[] },
): Part[] {
  return compileFields(compiling, edge, sets, (name, nodes) => {
    const field = edge.getFields()[name];
    if (field !== undefined && shownBy(field) === 'item') {
      return compileItem(compiling, field, selectionSetsOf(nodes), shape);
    }
    return [{ kind: 'itemParameter', index: itemParameters.push(compileField(compiling, edge, nodes)) - 1 }];
  });
}

function objectOf({ name, type }: GraphQLField<unknown, unknown>): GraphQLObjectType {
  const named = getNamedType(type);
  if (!isObjectType(named)) throw new Declined(`${name} is no object`);
  return named;
}
