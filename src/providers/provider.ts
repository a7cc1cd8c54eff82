/**
 * The adapter interfaces through which alone embedded mode calls networks.
 *
 * An adapter throws every failure as a ServiceError of the contract. The last argument of each method is a signal that ends
 * the call. An adapter stores nothing of our accounts: a challenge goes to the caller and comes back with the next call.
 */
import type { AccountType } from '../auth/account.ts';
import type { CheckpointType, JobFields, JobPublish, JobState } from '../capabilities/jobs/shapes.ts';
import type { Post } from '../capabilities/posts/shapes.ts';

/** `token` is the network's own session, opaque to us. */
export interface ProviderSession {
  readonly accountId: string;
  readonly type: AccountType;
  readonly token: string;
}

/** `cursor` is the network's own; null on the last page. */
export interface NetworkPage<T> {
  readonly items: T[];
  readonly cursor: string | null;
}

export interface PostQuery {
  readonly identifier: string;
  readonly isCompany: boolean;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Returned objects belong to the caller: an adapter must not keep them. */
export interface PostProvider {
  /** @throws ServiceError any error that the contract documents for the post list */
  listPosts(session: ProviderSession, query: PostQuery, signal: AbortSignal): Promise<NetworkPage<Post>>;
}

export interface NetworkPosting {
  readonly jobId: string;
  readonly fields: JobFields;
}

export type PublishStep =
  | { readonly kind: 'published'; readonly state: JobState }
  | { readonly kind: 'checkpoint'; readonly type: CheckpointType; readonly challenge: string };

/** Every method throws the errors that the contract documents for it. */
export interface JobProvider {
  /** Checks that the account can have drafts, before one is stored. */
  checkSession(session: ProviderSession, signal: AbortSignal): Promise<void>;
  /** @param posting with the edit applied */
  editPosting(session: ProviderSession, posting: NetworkPosting, signal: AbortSignal): Promise<void>;
  /** A repeated call for the same draft must not publish it twice. */
  publish(
    session: ProviderSession,
    draft: NetworkPosting,
    options: JobPublish,
    signal: AbortSignal,
  ): Promise<PublishStep>;
  /** Looks up a publication whose outcome is unknown. @returns null if the draft has not been published */
  findPublished(session: ProviderSession, draft: NetworkPosting, signal: AbortSignal): Promise<JobState | null>;
  /** @throws ServiceError `invalid_checkpoint_solution` for a wrong input, `invalid_parameters` for a malformed one */
  solveCheckpoint(
    session: ProviderSession,
    draft: NetworkPosting,
    checkpoint: { readonly type: CheckpointType; readonly challenge: string },
    input: string,
    signal: AbortSignal,
  ): Promise<PublishStep>;
}

/** Adapters by account type: the only statement of which accounts can list posts. */
export type Providers = { readonly [type in AccountType]?: PostProvider } & {
  readonly PNET: PostProvider & JobProvider;
};
