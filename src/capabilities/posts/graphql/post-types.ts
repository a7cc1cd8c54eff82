/**
 * The networks whose posts can be listed, as GraphQL knows them. The file of a network registers its posts here, once;
 * the union, refetching by id and compiled plans follow from that. index.ts imports these files.
 */
import { builder } from '../../../graphql/kit/builder.ts';
import { taggedBy } from '../../../graphql/kit/wire.ts';
import { type Post, postProviders } from '../shapes.ts';
import type { RawIdsOf, ReadWith } from './reading-account.ts';

type PostType = ReturnType<typeof builder.objectRef<ReadWith<Post>>>;

/** How a network's posts and their authors are told apart and found again. */
export interface PostNetwork<P extends Post = Post> {
  readonly provider: P['provider'];
  /** The name of the GraphQL type of its posts, and the kind in their global ids. */
  readonly type: string;
  /** What the id of a post is made of. */
  readonly ids: RawIdsOf<P>;
  readonly author: {
    /** The name of the GraphQL type of an author, and the kind in its global ids. */
    readonly type: string;
    /** Everybody in a post who is an author of posts. */
    readonly in: (post: P) => readonly ({ readonly id: string } | undefined)[];
    /** Whether an id is that of a company, where the network lists posts of companies and people differently. */
    readonly isCompany?: (authorId: string) => boolean;
  };
}

interface RegisteredNetwork extends PostNetwork {
  readonly object: PostType;
}

const networks = new Map<unknown, RegisteredNetwork>();

/** The networks registered so far. */
export const postNetworks = (): Iterable<PostNetwork> => networks.values();

/** Declares the type of a network's posts, to be implemented by the caller. */
export function registerPosts<P extends Post>(network: PostNetwork<P>) {
  const object = builder.objectRef<ReadWith<P>>(network.type);
  // The compiler cannot see that a type parameter is a member of the union. Only posts of the provider reach the record.
  networks.set(network.provider, { ...(network as unknown as PostNetwork), object: object as unknown as PostType });
  return object;
}

/** The network of a post. A post that does not say its provider belongs to the network whose id it has, if it is one. */
export function networkOf(post: Partial<Post>): PostNetwork | undefined {
  if (post.provider !== undefined && post.provider !== null) return networks.get(post.provider);
  const [network, ...others] = [...networks.values()].filter(({ ids }) => Object.hasOwn(post, ids.key));
  return others.length === 0 ? network : undefined;
}

/** The name of the type of a post; undefined for a post of a provider that this gateway does not know. */
export const postTypeOf = (post: Partial<Post>): string | undefined => networkOf(post)?.type;

function typeOf(provider: Post['provider']): PostType {
  const network = networks.get(provider);
  if (network === undefined) throw new Error(`Posts of ${provider} have no GraphQL type: register one`);
  return network.object;
}

export const PostUnion = builder.unionType('Post', {
  description: 'A post on one of the networks.',
  // Called when the schema is built, after every type is registered.
  types: () => postProviders.map(typeOf),
  resolveType: postTypeOf,
  extensions: taggedBy(() => ({
    key: 'provider',
    types: Object.fromEntries(postProviders.map((provider) => [provider, typeOf(provider).name])),
    otherwise: null,
  })),
});
