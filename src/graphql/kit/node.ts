/**
 * Relay's object identification: global ids, and the `node` and `nodes` fields that read objects by them.
 *
 * Why not `@pothos/plugin-relay`: its ids consist of the name of an object type and one string. A webhook has one of
 * two object types, and `node` does not know which before it has read it; the ids of posts contain two raw ids.
 */
import { defaultTypeResolver, type GraphQLTypeResolver } from 'graphql';
import { ServiceError } from '../../kernel/errors.ts';
import { readsById, readsByIds } from '../cost/weights.ts';
import type { GraphQLContext } from '../graphql-context.ts';
import { builder } from './builder.ts';
import { nullMeansError } from './null-means-error.ts';

/** The kind in a global id: the name that a capability gives it with {@link registerNode}. */
export type IdKind = string;

/**
 * A global id: opaque, and unique across all types.
 * @param rawIds of the object; for an object of a post, of the account that read it and of the object
 */
export const globalId = (kind: IdKind, ...rawIds: readonly string[]): string =>
  Buffer.from(JSON.stringify([kind, ...rawIds])).toString('base64url');

/** What the text of a global id begins with, before its last raw id, a string in quotes, and {@link idSuffix}. */
export const idPrefix = (kind: IdKind, ...rawIds: readonly string[]): string =>
  `${JSON.stringify([kind, ...rawIds]).slice(0, -idSuffix.length)},`;

/** What the text of a global id ends with. */
export const idSuffix = ']';

/** What every global id begins with. */
const idStart = Buffer.from('["').toString('base64url').slice(0, -1);

/** Whether a text may be a global id: whether it is one, {@link parseGlobalId} tells. */
export const isGlobalId = (id: string): boolean => id.startsWith(idStart);

/** The kind and the raw ids in a global id; null for any other text. */
export function parseGlobalId(id: string): { readonly kind: string; readonly rawIds: readonly string[] } | null {
  if (!isGlobalId(id)) return null;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    if (!Array.isArray(parsed) || !parsed.every((part) => typeof part === 'string')) return null;
    const [kind, ...rawIds] = parsed;
    return kind === undefined ? null : { kind, rawIds };
  } catch {
    // Not an id that this gateway wrote, so nothing has it.
    return null;
  }
}

/** Reads an object by its raw ids. Null stands for an object that the caller cannot see. */
type LoadNode<RawIds> = (rawIds: RawIds, context: GraphQLContext) => Promise<object | null>;

interface NodeKind {
  readonly load: LoadNode<readonly string[]>;
  readonly rawIds: number;
  readonly type: string | undefined;
}

const nodeKinds = new Map<string, NodeKind>();

/** Largest number of ids in one `nodes` field. */
const maxNodes = 100;

interface RawIdsOf {
  1: readonly [string];
  2: readonly [string, string];
  3: readonly [string, string, string];
}

/**
 * Lets `node` and `nodes` read objects of a kind.
 * @param load runs an operation, which checks the scope
 * @param options.rawIds how many an id of the kind has; an id with another number is of nothing
 * @param options.type the object type of the kind, if its objects do not say it themselves (by `isTypeOf`)
 */
export function registerNode<Count extends keyof RawIdsOf = 1>(
  kind: IdKind,
  load: LoadNode<RawIdsOf[Count]>,
  options?: { readonly rawIds: Count; readonly type: string },
): void {
  if (nodeKinds.has(kind)) throw new Error(`Two kinds of objects have global ids of "${kind}"`);
  nodeKinds.set(kind, {
    // As many as the kind has: see findNode.
    load: (rawIds, context) => load(rawIds as RawIdsOf[Count], context),
    rawIds: options?.rawIds ?? 1,
    type: options?.type,
  });
}

/** The types of objects that were read by id and do not say their type themselves. */
const typesRead = new WeakMap<object, string>();

/** The type of an object that was read by id. */
export const typeOfNode: GraphQLTypeResolver<object, GraphQLContext> = (value, ...rest) =>
  typesRead.get(value) ?? defaultTypeResolver(value, ...rest);

export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'An object that can be refetched by its global id.',
  resolveType: typeOfNode,
  fields: (t) => ({
    id: t.id({
      description: 'Global id: opaque, and unique across all types.',
      resolve: () => {
        throw new Error('A type that implements Node must resolve its own id');
      },
    }),
  }),
});

/** The object with a global id; null if there is none that the caller can access. */
export async function findNode(id: string, context: GraphQLContext): Promise<object | null> {
  const parsed = parseGlobalId(id);
  return parsed === null ? null : findOfKind(parsed.kind, parsed.rawIds, context);
}

/** The object of a kind with these raw ids; null if there is none that the caller can access. */
export async function findOfKind(
  name: string,
  rawIds: readonly string[],
  context: GraphQLContext,
): Promise<object | null> {
  const kind = nodeKinds.get(name);
  if (kind === undefined || rawIds.length !== kind.rawIds) return null;
  const found = await kind.load(rawIds, context);
  if (found !== null && kind.type !== undefined) typesRead.set(found, kind.type);
  return found;
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'Refetches an object by its global id. Null if no object that the API key can access has this id.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of any object that has one.' }),
    },
    extensions: readsById,
    resolve: (_root, { id }, context) => findNode(id, context),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: true, items: true },
    description:
      'Refetches several objects by their global ids, in the order of the ids; null in the place of an object that the API key cannot access.',
    args: { ids: t.arg.idList({ required: true, description: `Up to ${maxNodes} global ids.` }) },
    extensions: { ...readsByIds('ids', maxNodes), ...nullMeansError },
    resolve: (_root, { ids }, context) => {
      if (ids.length <= maxNodes) return ids.map((id) => findNode(id, context));
      throw new ServiceError('limit_too_high', { detail: `ids must have at most ${maxNodes} entries` });
    },
  }),
}));
