/** A gateway whose posts are under test, over networks that record what they are asked for. */
import { afterAll, beforeAll, expect } from 'vitest';
import type { Post } from '../../src/capabilities/posts/shapes.ts';
import type { PostProvider, Providers } from '../../src/providers/provider.ts';
import { sandboxNetworks, sandboxToken } from '../../src/providers/sandbox/networks.ts';
import type { Backend, SeededWorkspace, Served } from '../support/backends.ts';

export const listDocument = `query ($accountId: ID!, $identifier: String!, $isCompany: Boolean, $first: Int! = 100, $after: String) {
  posts(accountId: $accountId, identifier: $identifier, isCompany: $isCompany, first: $first, after: $after) {
    edges { cursor node { ... on PnetPost { id } ... on PhotonetPost { id } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

interface PostList {
  readonly edges: { cursor: string; node: { id: string } }[];
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

export class ServedPosts {
  served!: Served;
  workspace!: SeededWorkspace;
  /** An account of each network. */
  pnet!: string;
  photonet!: string;
  /** The pages that the networks have been asked for. */
  readonly calls: { identifier: string; limit: number }[] = [];
  /** What the networks send as the list of `ACoOdd`. */
  unexpectedItems: unknown[] = [];

  async start(backend: Backend): Promise<void> {
    this.served = await backend.start({
      providers: (sandbox): Providers => ({
        PNET: { ...sandbox.PNET, ...this.#recorded(sandbox.PNET) },
        PHOTONET: this.#recorded(sandbox.PHOTONET),
      }),
    });
    this.workspace = await this.served.workspace();
    this.pnet = await this.workspace.account();
    this.photonet = await this.workspace.account({ type: 'PHOTONET' });
  }

  #recorded(network: PostProvider): PostProvider {
    return {
      listPosts: async (session, query, signal) => {
        this.calls.push({ identifier: query.identifier, limit: query.limit });
        if (query.identifier === 'ACoOdd') return { items: this.unexpectedItems as Post[], cursor: null };
        if (query.identifier === 'ACoBroken') throw new Error('the adapter has a bug: secret-detail');
        return network.listPosts(session, query, signal);
      },
    };
  }

  readonly accountFor = (network: 'pnet' | 'photonet'): string => this[network];

  readonly list = async (variables: Record<string, unknown>): Promise<PostList> => {
    const { data, errors } = await this.workspace.ask(listDocument, { accountId: this.pnet, ...variables });
    expect(errors).toEqual([]);
    return data.posts;
  };

  /** The one error of a list that fails. */
  readonly failing = async (variables: Record<string, unknown>) => {
    const { data, errors } = await this.workspace.ask(listDocument, { accountId: this.pnet, ...variables });
    expect(data).toEqual({ posts: null });
    expect(errors).toHaveLength(1);
    return errors[0];
  };

  /** The wire objects of a whole list, from the sandbox itself. */
  readonly wireOf = async (network: 'pnet' | 'photonet', identifier: string, isCompany = false): Promise<Post[]> => {
    const type = network === 'pnet' ? 'PNET' : 'PHOTONET';
    const sandbox = sandboxNetworks({ clock: () => this.served.clock.now })[type];
    const session = { accountId: 'x', type, token: sandboxToken('ok') } as const;
    const items: Post[] = [];
    let cursor: string | null = null;
    do {
      const page = await sandbox.listPosts(
        session,
        { identifier, isCompany, cursor, limit: 100 },
        new AbortController().signal,
      );
      items.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== null);
    return items;
  };
}

/** Serves posts over a backend for the suite that calls it. */
export function servePosts(backend: Backend): ServedPosts {
  const posts = new ServedPosts();
  beforeAll(() => posts.start(backend));
  afterAll(() => posts.served.close());
  return posts;
}
