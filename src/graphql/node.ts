/** Relay's object identification: global ids, and the `node` and `nodes` fields that find what they name. */
import { ServiceError } from '../errors.ts';
import { builder } from './builder.ts';
import type { GraphQLContext } from './graphql-context.ts';

/** The kinds of things that have a global id. */
export type IdKind =
  | 'Account'
  | 'Job'
  | 'Webhook'
  | 'Delivery'
  | 'PnetPost'
  | 'PnetAuthor'
  | 'PhotonetPost'
  | 'PhotonetOwner';

/** A global id: unique over all types, opaque to callers. `parts` are raw ids. */
export const globalId = (kind: IdKind, ...parts: readonly string[]): string =>
  Buffer.from(JSON.stringify([kind, ...parts])).toString('base64url');

function parseGlobalId(id: string): { readonly kind: string; readonly key: string } | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 2) return null;
    const [kind, key] = parsed;
    return typeof kind === 'string' && typeof key === 'string' ? { kind, key } : null;
  } catch {
    // Not of our making: there is nothing of that name.
    return null;
  }
}

/** Something that `node` can find. Its kind says which loader finds it, and `object` or the finder which type it is. */
interface NodeKind {
  readonly load: (key: string, context: GraphQLContext) => Promise<object | null>;
}

/** Ids of one `nodes` field. */
const maxNodes = 100;

const nodeKinds = new Map<string, NodeKind>();

/** Lets `node` find things of a kind. `load` answers null for what the caller cannot see, and checks the scope. */
export function registerNode(kind: IdKind, load: NodeKind['load']): void {
  nodeKinds.set(kind, { load });
}

export const Node = builder.interfaceRef<object>('Node').implement({
  description: 'Something that can be read again by its global id.',
  fields: (t) => ({
    id: t.id({
      description: 'Global id: unique over all types, opaque.',
      resolve: () => {
        throw new Error('A type that implements Node resolves its own id');
      },
    }),
  }),
});

async function findNode(id: string, context: GraphQLContext): Promise<object | null> {
  const parsed = parseGlobalId(id);
  return parsed === null ? null : ((await nodeKinds.get(parsed.kind)?.load(parsed.key, context)) ?? null);
}

builder.queryFields((t) => ({
  node: t.field({
    type: Node,
    nullable: true,
    description: 'Reads something again by its global id; null where nothing that this key can see has it.',
    args: {
      id: t.arg.id({ required: true, description: 'The `id` of an account, a job posting, a webhook or a delivery.' }),
    },
    resolve: (_root, { id }, context) => findNode(id, context),
  }),
  nodes: t.field({
    type: [Node],
    nullable: { list: false, items: true },
    description: 'Reads several things again by their global ids, in the order of the ids.',
    args: { ids: t.arg.idList({ required: true, description: `At most ${maxNodes} global ids.` }) },
    complexity: ({ ids }) => ({ field: 1, multiplier: ids.length }),
    resolve: (_root, { ids }, context) => {
      if (ids.length <= maxNodes) return ids.map((id) => findNode(id, context));
      throw new ServiceError('limit_too_high', { detail: `ids must have at most ${maxNodes} entries` });
    },
  }),
}));
