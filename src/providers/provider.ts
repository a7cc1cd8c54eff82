/**
 * What a provider adapter must do. The embedded backend calls a network only through these interfaces. The sandbox
 * networks in this folder implement them; an adapter of a real network takes their place.
 *
 * An adapter throws every failure as a ServiceError of the contract. The last argument of each method is the signal that
 * ends the call. An adapter stores nothing about our accounts: the challenge that continues a publication is returned to
 * the caller and comes back with the next call.
 */
import type { AccountType } from '../auth/account.ts';
import type { CheckpointType, JobFields, JobPublish, JobState } from '../capabilities/jobs/shapes.ts';
import type { Post } from '../capabilities/posts/shapes.ts';

/** How an account is signed in to its network. `token` is the network's own term for the session, opaque to us. */
export interface ProviderSession {
  readonly accountId: string;
  readonly type: AccountType;
  readonly token: string;
}

/** One page of a list. `cursor` is the network's own cursor of the next page; null on the last page. */
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

/** Lists posts of a network. The objects of a page belong to the caller: an adapter must not keep them. */
export interface PostProvider {
  /** @throws ServiceError any error that the contract documents for the post list */
  listPosts(session: ProviderSession, query: PostQuery, signal: AbortSignal): Promise<NetworkPage<Post>>;
}

/** A job posting as our database stores it. */
export interface NetworkPosting {
  readonly jobId: string;
  readonly fields: JobFields;
}

/** The result of a step of publishing: the posting is published, or a checkpoint is open. */
export type PublishStep =
  | { readonly kind: 'published'; readonly state: JobState }
  | { readonly kind: 'checkpoint'; readonly type: CheckpointType; readonly challenge: string };

/** Publishes and edits job postings on a network. Every method throws the errors that the contract documents for it. */
export interface JobProvider {
  /** Checks that the account can have drafts, before one is stored. */
  checkSession(session: ProviderSession, signal: AbortSignal): Promise<void>;
  /** @param posting the posting with the edit applied */
  editPosting(session: ProviderSession, posting: NetworkPosting, signal: AbortSignal): Promise<void>;
  /** Publishes a draft. A repeated call for the same draft must not publish it twice. */
  publish(
    session: ProviderSession,
    draft: NetworkPosting,
    options: JobPublish,
    signal: AbortSignal,
  ): Promise<PublishStep>;
  /**
   * Looks up whether the draft has been published, after a call that may have published it and whose outcome is unknown.
   * @returns the state of the posting; null if it has not been published
   */
  findPublished(session: ProviderSession, draft: NetworkPosting, signal: AbortSignal): Promise<JobState | null>;
  /**
   * Answers an open checkpoint.
   * @throws ServiceError `invalid_checkpoint_solution` for a wrong input, `invalid_parameters` for an input that does not
   *   have the form of an answer to this type of checkpoint
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
