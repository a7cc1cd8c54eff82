/** What reads the arguments of a source, as graphql-js does, its pages and their metadata. */
import {
  BREAK,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  isNonNullType,
  Kind,
  type ValueNode,
  valueFromAST,
  visit,
} from 'graphql';
import type { PageSource } from '../../../kernel/page-source.ts';
import type { Page } from '../../../kernel/paging.ts';
import type { Ports } from '../../../kernel/ports.ts';
import type { ObjectShape } from '../../../splice/plan.ts';
import type { Scanned } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import { idPlacesOf, withRawIds } from '../../kit/global-ids.ts';
import type { AnySource } from '../../kit/source.ts';
import { Declined } from '../declined.ts';

/** Undefined if graphql-js or the field would refuse the values. */
export type ReadValues = (variables: Values) => Values | undefined;

/** @throws Declined for a literal with variables inside, or one that graphql-js would refuse */
export function compileArguments({ args }: GraphQLField<unknown, unknown>, node: FieldNode): ReadValues {
  const readers = args.map((argument) => compileArgument(argument, node));
  const places = idPlacesOf({ args });
  return (variables) => {
    const values: Record<string, unknown> = {};
    for (const { name, isNeeded, read } of readers) {
      const value = read(variables);
      if (value !== undefined) values[name] = value;
      if (isNeeded && (value === undefined || value === null)) return undefined;
    }
    try {
      return withRawIds(values, places);
    } catch {
      // Another kind's id: the field's resolver refuses it.
      return undefined;
    }
  };
}

function compileArgument({ name, type, defaultValue }: GraphQLArgument, { arguments: given = [] }: FieldNode) {
  const isNeeded = isNonNullType(type);
  const literal = given.find((each) => each.name.value === name)?.value;
  if (literal?.kind === Kind.VARIABLE) {
    const variable = literal.name.value;
    return {
      name,
      isNeeded,
      read: (variables: Values) => (Object.hasOwn(variables, variable) ? variables[variable] : defaultValue),
    };
  }
  const value: unknown = literal === undefined ? defaultValue : constantOf(literal, type);
  if (literal !== undefined && value === undefined) throw new Declined(`the literal of ${name}`);
  return { name, isNeeded, read: () => value };
}

/** Undefined if variables decide, of which graphql-js would make null or nothing. */
function constantOf(literal: ValueNode, type: GraphQLInputType): unknown {
  let hasVariables = false;
  visit(literal, {
    Variable() {
      hasVariables = true;
      return BREAK;
    },
  });
  return hasVariables ? undefined : valueFromAST(literal, type);
}

export type AnyPages = PageSource<unknown, Page<unknown>>;

/** Pages of a source that reads what `of` says. */
export const pagesOf = (of: AnySource, ports: Ports): AnyPages | undefined =>
  // Requests of a source come from itself.
  of.pages(ports) as AnyPages | undefined;

/** Missing values are left out; `{}` stands for a value that is not a leaf. */
export type ReadMetadata = (scanned: Scanned) => Record<string, unknown>;

export function metadataReader(shape: ObjectShape, path: readonly string[] = []): ReadMetadata {
  const readers = Object.entries(shape).flatMap(([key, value]) => {
    const at = [...path, key];
    if (value === 'leaf') return { key, read: (scanned: Scanned) => readLeaf(scanned, at) };
    return 'object' in value ? { key, read: metadataReader(value.object, at) } : [];
  });
  return (scanned) => {
    const metadata: Record<string, unknown> = {};
    for (const { key, read } of readers) {
      const value = read(scanned);
      if (value !== undefined) metadata[key] = value;
    }
    return metadata;
  };
}

function readLeaf(scanned: Scanned, path: readonly string[]): unknown {
  const leaf = scanned.leaf(...path);
  if (leaf === undefined) return undefined;
  return leaf === null ? {} : JSON.parse(leaf);
}
