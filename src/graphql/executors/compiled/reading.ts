/** A list, or an item, as a template, with its parameters and the lists within it. */
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
import { type GivenArguments, sourceOf } from '../../kit/source.ts';
import { shownBy } from '../../kit/wire.ts';
import { Declined } from '../declined.ts';
import {
  type Compiling,
  type CompilingShared,
  compileFields,
  compileObject,
  type InnerPlace,
  knownToResolver,
} from './compile.ts';
import { addShape, type MutableShape, textPart } from './parts.ts';
import { compileArguments, type ReadValues } from './readers.ts';
import type { CompiledSource, CompiledSources } from './sources.ts';
import { compileField, type PrintValue, readField } from './values.ts';

/** A list, or an item that is found. */
export interface CompiledReading {
  readonly source: CompiledSource;
  readonly args: ReadValues;
  /** By the object above the list; null for a root field. */
  readonly given: GivenArguments | null;
  readonly template: number;
  /** Printed in the place of an item that is not found; null for a list. */
  readonly missing: number | null;
  readonly parameters: readonly ((connection: Connection<unknown> | null, accountId: string | null) => string)[];
  readonly itemParameters: readonly PrintValue[];
  /** As the field `edges` has them; null where it is not selected. */
  readonly edgesOf: ((connection: Connection<unknown>) => unknown) | null;
  readonly inner: readonly CompiledReading[];
}

export interface ReadingScope extends CompilingShared {
  readonly sources: CompiledSources;
  readonly templates: Part[][];
}

/** @throws Declined for a selection that a plan cannot say */
export function compileReading(
  scope: ReadingScope,
  { parent, field, nodes }: Omit<InnerPlace, 'shape'>,
  given: GivenArguments | null = null,
): CompiledReading {
  const [node] = nodes;
  const of = sourceOf(field);
  const compiled = of && scope.sources.add(of);
  if (node === undefined || of === undefined || compiled === undefined) throw knownToResolver(parent, field.name);
  const { source, shape, pages } = compiled;
  const { parameters, itemParameters, prefixOf } = collectParameters();
  const inner: CompiledReading[] = [];
  const compiling: Compiling = {
    ...scope,
    prefixOf,
    innerOf({ shape: around, ...place }, givenHere) {
      const index = inner.push(compileReading(scope, place, givenHere)) - 1;
      const part: Part = { kind: 'inner', asks: askingFor(index, givenHere, around) };
      const { unless } = givenHere;
      return unless === undefined
        ? part
        : { kind: 'choice', key: unless, parts: [part], otherwise: [textPart('null')] };
    },
  };
  const place = { shape, items: pages.items, parameters, itemParameters };
  const common = { source, args: compileArguments(field, node), given, parameters, itemParameters, inner };
  if ('connection' in of) {
    const { parts, edgesOf } = compileConnection(compiling, field, nodes, place);
    return { ...common, template: scope.templates.push(parts) - 1, missing: null, edgesOf };
  }
  const item = compileItem(compiling, field, selectionSetsOf(nodes), shape);
  const template = scope.templates.push([{ kind: 'window', key: pages.items, parts: item }]) - 1;
  const missing = scope.templates.push([textPart('null')]) - 1;
  return { ...common, template, missing, edgesOf: null };
}

interface ListPlace extends Pick<ReturnType<typeof collectParameters>, 'parameters' | 'itemParameters'> {
  readonly shape: MutableShape;
  /** Key of the items in a page. */
  readonly items: string;
}

function compileConnection(
  compiling: Compiling,
  field: GraphQLField<unknown, unknown>,
  nodes: readonly FieldNode[],
  { shape, items: key, parameters, itemParameters }: ListPlace,
): Pick<CompiledReading, 'edgesOf'> & { readonly parts: Part[] } {
  const type = objectOf(field);
  let edgesOf: CompiledReading['edgesOf'] = null;
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
        ? compileItem(compiling, shownField, sets, shape)
        : compileEdge(compiling, objectOf(shownField), sets, { shape, itemParameters });
    return [textPart('['), { kind: 'window', key, parts: items }, textPart(']')];
  });
  return { parts, edgesOf };
}

export interface Asked {
  readonly list: number;
  readonly given: Readonly<Record<string, unknown>>;
}

/** Parts that print {@link Asked}. */
function askingFor(index: number, { ids, flags = {} }: GivenArguments, shape: MutableShape): Part[] {
  const leaves = [
    ...Object.entries(ids).map(([name, key]) => ({ name, key, rule: 'string', required: true }) as const),
    ...Object.entries(flags).map(([name, key]) => ({ name, key, rule: 'boolean', required: false }) as const),
  ];
  const given = leaves.flatMap(({ name, key = name, rule, required }, at): Part[] => {
    addShape(shape, key, 'leaf');
    return [textPart(`${at === 0 ? '' : ','}${JSON.stringify(name)}:`), { kind: 'leaf', key, rule, required }];
  });
  return [textPart(`{"list":${index},"given":{`), ...given, textPart('}}')];
}

function collectParameters() {
  const parameters: CompiledReading['parameters'][number][] = [];
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
