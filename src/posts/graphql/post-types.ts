/**
 * The GraphQL types of posts, one for each provider. The file of a provider's posts registers its type here, and
 * index.ts imports these files.
 */
import { builder } from '../../graphql/builder.ts';
import { taggedBy } from '../../graphql/wire.ts';
import { type Post, postProviders } from '../shapes.ts';
import type { ReadWith } from './reading-account.ts';

type PostType = ReturnType<typeof builder.objectRef<ReadWith<Post>>>;

const postTypes = new Map<unknown, PostType>();

/** The keys that posts of each provider have their id under: all different. */
const idKeys = { PNET: 'id', PHOTONET: 'provider_id' } as const satisfies Record<Post['provider'], string>;

/** Declares the type of a provider's posts, to be implemented by the caller. */
export function registerPostType<P extends Post>(provider: P['provider'], name: string) {
  const type = builder.objectRef<ReadWith<P>>(name);
  // Of a type parameter the compiler cannot see that it is a member of the union.
  postTypes.set(provider, type as unknown as PostType);
  return type;
}

/**
 * The name of the type of a post; undefined for one of a provider that this gateway does not know. A post that does not
 * say its provider is of the one whose id it has.
 */
export function postTypeOf(post: Partial<Post>): string | undefined {
  const provider = post.provider ?? providerById(post);
  return postTypes.get(provider)?.name;
}

function providerById(post: object): Post['provider'] | undefined {
  const [provider, ...others] = postProviders.filter((each) => Object.hasOwn(post, idKeys[each]));
  return others.length === 0 ? provider : undefined;
}

function typeOf(provider: Post['provider']): PostType {
  const type = postTypes.get(provider);
  if (type === undefined) throw new Error(`Posts of ${provider} have no GraphQL type: register one`);
  return type;
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
