/** Relay's object identification: the fields `node` and `nodes`, which take global ids (global-ids.ts). */

import { defaultTypeResolver, type GraphQLSchema, type GraphQLTypeResolver } from 'graphql';
import { type Issue, ServiceError } from '../../kernel/errors.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import { readsById, readsByIds } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder } from './builder.ts';
import { type IdKind, parseGlobalId } from './global-ids.ts';
import type { Run } from './needs.ts';
import { nullMeansError } from './semantic-nullability.ts';
import { type GivenArguments, type ItemSource, readsFrom } from './source.ts';

type LoadNode<RawIds> = (rawIds: RawIds, context: GraphQLContext) => Promise<object | null>;

interface NodeKind {
  readonly load: LoadNode<readonly string[]>;
  readonly rawIds: number;
  readonly type: string | undefined;
}

const nodeKinds = new Map<string, NodeKind>();

/** Objects that one field reads by their ids: a gateway that joins graphs asks for all of a response at once, and cannot ask in parts. */
export const maxByIds = 1_000;

/** Beyond the limit, as many entries have its error as a response tells errors; the others are null. */
const maxToldBeyond = 100;

/** Reads the entries of a list one by one, so that one that fails costs no other. @param name of the argument */
export function readEach<Entry, Read>(
  name: string,
  entries: readonly Entry[],
  read: (entry: Entry, place: number) => Promise<Read | null>,
): Promise<Read | null>[] {
  return entries.map(async (entry, place) => {
    if (place < maxByIds) return read(entry, place);
    if (place >= maxByIds + maxToldBeyond) return null;
    throw new ServiceError('limit_too_high', { detail: `${name} must have at most ${maxByIds} entries` });
  });
}

interface RawIdTuples {
  1: readonly [string];
  2: readonly [string, string];
  3: readonly [string, string, string];
}

/**
 * Lets `node` and `nodes` read objects of a kind.
 * @param load runs an operation, which checks the scope
 * @param options.rawIds number of raw ids in an id of the kind
 * @param options.type object type, unless `isTypeOf` tells
 */
export function registerNode<Count extends keyof RawIdTuples = 1>(
  kind: IdKind,
  load: LoadNode<RawIdTuples[Count]>,
  options?: { readonly rawIds: Count; readonly type: string },
): void {
  if (nodeKinds.has(kind)) throw new Error(`Two kinds of objects have global ids of "${kind}"`);
  nodeKinds.set(kind, {
    // findNode checks the number.
    load: (rawIds, context) => load(rawIds as RawIdTuples[Count], context),
    rawIds: options?.rawIds ?? 1,
    type: options?.type,
  });
}

/** Types of objects read by id that do not tell their type. */
const typesRead = new WeakMap<object, string>();

export const typeOfNode: GraphQLTypeResolver<object, GraphQLContext> = (value, ...rest) =>
  typesRead.get(value) ?? defaultTypeResolver(value, ...rest);

export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'An object with a global id.',
  resolveType: typeOfNode,
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: () => {
        throw new Error('A type that implements Node must resolve its own id');
      },
    }),
  }),
});

/**
 * Null if the caller cannot access it.
 * @param path of the id among the arguments
 * @throws ServiceError `invalid_parameters` for what is no global id, as a raw id
 */
export async function findNode(
  id: string,
  context: GraphQLContext,
  schema: GraphQLSchema,
  path: Issue['path'],
): Promise<object | null> {
  const parsed = parseGlobalId(id);
  if (parsed === null) throw invalidParameters([{ path, code: 'malformed', message: noGlobalId }]);
  return findOfKind(parsed.kind, parsed.rawIds, context, schema);
}

export const noGlobalId =
  'is no global id. It takes the `id` of an object; a raw id belongs in a field such as `account(accountId:)`';

export async function findOfKind(
  name: string,
  rawIds: readonly string[],
  context: GraphQLContext,
  schema: GraphQLSchema,
): Promise<object | null> {
  const kind = nodeKinds.get(name);
  if (kind === undefined || rawIds.length !== kind.rawIds) return null;
  // Of a kind that this set-up does not serve there is none.
  if (schema.getType(kind.type ?? name) === undefined) return null;
  const found = await kind.load(rawIds, context);
  if (found !== null && kind.type !== undefined) typesRead.set(found, kind.type);
  return found;
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'An object by its global id; null if the key cannot see one.',
    args: {
      id: t.arg.id({ required: true, description: 'Global id.' }),
    },
    extensions: readsById,
    resolve: (_root, { id }, context, { schema }) => findNode(id, context, schema, ['id']),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: true, items: true },
    description: 'Objects in the order of their ids; null where the key sees none.',
    args: {
      ids: t.arg.idList({
        required: true,
        description: `Up to ${maxByIds} global ids. Each beyond is an error.`,
      }),
    },
    extensions: { ...readsByIds('ids', maxByIds), ...nullMeansError },
    resolve: (_root, { ids }, context, { schema }) =>
      readEach('ids', ids, (id, place) => findNode(id, context, schema, ['ids', place])),
  }),
}));

/**
 * Options of a field that finds an object by its id; null for one that is not there, or that the key cannot see.
 * @param source the operation, or for a field that is compiled its source @param given by the object around it, if that was read from a source, too
 */
export const foundById = <Args>(
  description: string,
  source: ItemSource<Args> | Run,
  given?: GivenArguments<string & keyof Args>,
) => ({
  nullable: true as const,
  description,
  ...('pages' in source
    ? { extensions: { ...readsById, ...readsFrom(source, given) } }
    : { extensions: readsById, runs: source }),
});
