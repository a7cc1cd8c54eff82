/** A network's file registers its posts here, once; union, refetching and compiled plans follow. */
import { builder } from '../../../graphql/kit/builder.ts';
import { taggedBy } from '../../../graphql/kit/wire.ts';
import { type Post, postProviders } from '../shapes.ts';
import type { RawIdsOf, ReadWith } from './reading-account.ts';

type PostType = ReturnType<typeof builder.objectRef<ReadWith<Post>>>;

/** Tells a network's posts and authors apart, and finds them again. */
export interface PostNetwork<P extends Post = Post> {
  readonly provider: P['provider'];
  /** Name of the posts' GraphQL type, and kind in their global ids. */
  readonly type: string;
  readonly ids: RawIdsOf<P>;
  readonly author: {
    /** Name of the authors' GraphQL type, and kind in their global ids. */
    readonly type: string;
    /** Everybody in a post who is an author of posts. */
    readonly in: (post: P) => readonly ({ readonly id: string } | undefined)[];
    /** For networks that list posts of companies and people differently. */
    readonly isCompany?: (authorId: string) => boolean;
  };
}

interface RegisteredNetwork extends PostNetwork {
  readonly object: PostType;
}

const networks = new Map<unknown, RegisteredNetwork>();

export const postNetworks = (): Iterable<PostNetwork> => networks.values();

/** Declares the type of a network's posts, to be implemented by the caller. */
export function registerPosts<P extends Post>(network: PostNetwork<P>) {
  const object = builder.objectRef<ReadWith<P>>(network.type);
  // A type parameter is not known to be a member of the union. Only posts of the provider reach the record.
  networks.set(network.provider, { ...(network as unknown as PostNetwork), object: object as unknown as PostType });
  return object;
}

/** A post without a provider belongs to the network whose id it has. */
export function networkOf(post: Partial<Post>): PostNetwork | undefined {
  if (post.provider !== undefined && post.provider !== null) return networks.get(post.provider);
  const [network, ...others] = [...networks.values()].filter(({ ids }) => Object.hasOwn(post, ids.key));
  return others.length === 0 ? network : undefined;
}

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
  })),
});
