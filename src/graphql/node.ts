/**
 * Relay's object identification: global ids, and the `node` and `nodes` fields that read objects by them.
 *
 * Why not `@pothos/plugin-relay`: its ids consist of the name of an object type and one string. A webhook has one of
 * two object types, and `node` does not know which before it has read it; the ids of posts contain two raw ids.
 */
import { ServiceError } from '../errors.ts';
import { builder } from './builder.ts';
import { readsById, readsByIds } from './cost/weights.ts';
import type { GraphQLContext } from './graphql-context.ts';

/** The kinds of objects that have a global id. */
export type IdKind =
  | 'Account'
  | 'Job'
  | 'Webhook'
  | 'Delivery'
  | 'PnetPost'
  | 'PnetAuthor'
  | 'PhotonetPost'
  | 'PhotonetOwner';

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

/** The kind and the raw id in a global id with one raw id; null for any other text. */
function parseGlobalId(id: string): { readonly kind: string; readonly rawId: string } | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 2) return null;
    const [kind, rawId] = parsed;
    return typeof kind === 'string' && typeof rawId === 'string' ? { kind, rawId } : null;
  } catch {
    // Not an id that this gateway wrote, so nothing has it.
    return null;
  }
}

/** Reads an object by its raw id. Null stands for an object that the caller cannot see. */
type LoadNode = (id: string, context: GraphQLContext) => Promise<object | null>;

const nodeLoaders = new Map<string, LoadNode>();

/** Largest number of ids in one `nodes` field. */
const maxNodes = 100;

/** Lets `node` and `nodes` read objects of a kind. `load` runs an operation, which checks the scope. */
export function registerNode(kind: IdKind, load: LoadNode): void {
  nodeLoaders.set(kind, load);
}

export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'An object that can be refetched by its global id.',
  fields: (t) => ({
    id: t.id({
      description: 'Global id: opaque, and unique across all types.',
      resolve: () => {
        throw new Error('A type that implements Node must resolve its own id');
      },
    }),
  }),
});

async function findNode(id: string, context: GraphQLContext): Promise<object | null> {
  const parsed = parseGlobalId(id);
  return parsed === null ? null : ((await nodeLoaders.get(parsed.kind)?.(parsed.rawId, context)) ?? null);
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'Refetches an object by its global id. Null if no object that the API key can access has this id.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of an account, job posting, webhook or delivery.' }),
    },
    extensions: readsById,
    resolve: (_root, { id }, context) => findNode(id, context),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: 'Refetches several objects by their global ids, in the order of the ids.',
    args: { ids: t.arg.idList({ required: true, description: `Up to ${maxNodes} global ids.` }) },
    extensions: readsByIds('ids', maxNodes),
    resolve: (_root, { ids }, context) => {
      if (ids.length <= maxNodes) return ids.map((id) => findNode(id, context));
      throw new ServiceError('limit_too_high', { detail: `ids must have at most ${maxNodes} entries` });
    },
  }),
}));
