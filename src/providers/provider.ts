/**
 * What a provider adapter must do. The embedded backend reaches a network only through these interfaces; the sandbox
 * networks beside this file implement them, and an adapter of a real network would stand in their place.
 *
 * An adapter reports every failure as a ServiceError of the contract. It keeps nothing about our accounts: what it needs
 * to continue a publication later (a challenge) it hands out, and gets back.
 */
import type { AccountType } from '../auth/account.ts';
import type { CheckpointType, JobFields, JobPublish, JobState } from '../jobs/shapes.ts';
import type { Post } from '../posts/shapes.ts';

/** How an account is signed in at its network. `token` is the network's own word for the session, opaque to us. */
export interface ProviderSession {
  readonly accountId: string;
  readonly type: AccountType;
  readonly token: string;
}

/** One page of a list. `cursor` is the network's own position of the next page; null on the last one. */
export interface NetworkPage<T> {
  readonly items: T[];
  readonly cursor: string | null;
}

export interface PostQuery {
  readonly identifier: string;
  readonly isCompany: boolean;
  readonly cursor: string | null;
  /** 1 to 100 posts. */
  readonly limit: number;
}

/** A network whose posts can be listed. The objects of a page belong to the caller: an adapter never keeps them. */
export interface PostProvider {
  listPosts(session: ProviderSession, query: PostQuery, signal: AbortSignal): Promise<NetworkPage<Post>>;
}

/** A posting as we hold it, for the network to act on. */
export interface NetworkPosting {
  readonly jobId: string;
  readonly fields: JobFields;
}

/** What came of a step of publishing: done, or a further step that the caller must take. */
export type PublishStep =
  | { readonly kind: 'published'; readonly state: JobState }
  | { readonly kind: 'checkpoint'; readonly type: CheckpointType; readonly challenge: string };

/** A network that job postings are published on. */
export interface JobProvider {
  /** Brings an edit of a posting to the network. */
  editPosting(session: ProviderSession, posting: NetworkPosting, signal: AbortSignal): Promise<void>;
  /** Publishes a draft. Asked again for the same draft it must not publish it twice. */
  publish(
    session: ProviderSession,
    draft: NetworkPosting,
    options: JobPublish,
    signal: AbortSignal,
  ): Promise<PublishStep>;
  /**
   * Answers an open checkpoint. An input that is wrong throws `errors/invalid_checkpoint_solution`, one that cannot be
   * an answer to this type of checkpoint `errors/invalid_parameters`.
   */
  solveCheckpoint(
    session: ProviderSession,
    draft: NetworkPosting,
    checkpoint: { readonly type: CheckpointType; readonly challenge: string },
    input: string,
    signal: AbortSignal,
  ): Promise<PublishStep>;
}

/**
 * The adapters that the embedded backend calls, by the type of the accounts that it calls them for. This is the only
 * statement of which accounts can list posts, and through which adapter.
 */
export type Providers = { readonly [type in AccountType]?: PostProvider } & {
  readonly PNET: PostProvider & JobProvider;
};
