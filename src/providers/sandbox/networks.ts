/**
 * The sandbox networks: a simulation of pnet and photonet that reaches no real network. It is deterministic, and like the
 * test cards of a payment service it has a fixed id or word for every outcome that the contract documents:
 *
 * - {@link sandboxSessions}: the token of a session chooses the outcome of every call of its account;
 * - {@link jobScenarios}: the `company_job_id` of a posting chooses the outcome of publishing and editing it;
 * - {@link checkpointInputs}: the input of a checkpoint chooses the outcome of solving it;
 * - {@link postIdentifiers}: the identifier chooses the list of posts.
 *
 * It keeps no state. A response depends on the request alone, and on the clock only for the relative `date` of a pnet
 * post. So any number of processes may run it, and publishing a draft twice is the same as publishing it once.
 */
import type { JobProvider, PostProvider } from '../provider.ts';
import { photonetIdentifiers } from './photonet/identifiers.ts';
import { photonetPosts } from './photonet/posts.ts';
import { pnetIdentifiers } from './pnet/identifiers.ts';
import { checkSession, editPosting, findPublished, publish, solveCheckpoint } from './pnet/jobs.ts';
import { pnetPosts } from './pnet/posts.ts';

export { checkpointInputs } from './pnet/checkpoints.ts';
export { companyJobId, type JobScenarioName, jobScenarioNames, jobScenarios } from './pnet/scenarios.ts';
export { type SandboxSessionName, sandboxSessionNames, sandboxSessions, sandboxToken } from './sessions.ts';

/** By network, the identifiers that can be listed, with the owner of the posts or the error of each. */
export const postIdentifiers = { pnet: pnetIdentifiers, photonet: photonetIdentifiers } as const;

/** The adapters of the sandbox, by the type of the accounts that use them. */
export interface SandboxNetworks {
  readonly PNET: PostProvider & JobProvider;
  readonly PHOTONET: PostProvider;
}

/** @param clock the time that the relative `date` of a pnet post is counted from */
export function sandboxNetworks({ clock }: { readonly clock: () => Date }): SandboxNetworks {
  return {
    PNET: { ...pnetPosts(clock), checkSession, editPosting, findPublished, publish, solveCheckpoint },
    PHOTONET: photonetPosts(),
  };
}
