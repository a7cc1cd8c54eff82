/**
 * The sandbox networks: a simulation of pnet and photonet that reaches no real network. It is deterministic, and it
 * reaches every outcome that the contract documents by fixed ids and words, as payment sandboxes do with test cards:
 *
 * - {@link sandboxSessions}: the token of an account's session, for what is wrong with the account at its network;
 * - {@link jobScenarios}: the `company_job_id` of a posting, for what comes of publishing or editing it;
 * - {@link checkpointInputs}: the input of a checkpoint, for what comes of it;
 * - {@link postIdentifiers}: the identifier of a list of posts.
 *
 * It keeps nothing: whatever it answers follows from what it is asked, and from the clock only the relative `date` of
 * a post. So it may run in any number of processes, and publishing a draft twice is the same as publishing it once.
 */
import type { JobProvider, PostProvider } from '../provider.ts';
import { photonetIdentifiers } from './photonet/identifiers.ts';
import { photonetSandbox } from './photonet/posts.ts';
import { pnetIdentifiers } from './pnet/identifiers.ts';
import { editPosting, publish, solveCheckpoint } from './pnet/jobs.ts';
import { pnetPosts } from './pnet/posts.ts';

export { checkpointInputs } from './pnet/checkpoints.ts';
export { companyJobId, type JobScenarioName, jobScenarios } from './pnet/scenarios.ts';
export { type SandboxSessionName, sandboxSessions, sandboxToken } from './sessions.ts';

/** The identifiers whose posts can be listed, by network: what is behind each, and what comes of listing it. */
export const postIdentifiers = { pnet: pnetIdentifiers, photonet: photonetIdentifiers } as const;

/** The adapters of the sandbox, by the type of the accounts that use them. */
export interface SandboxNetworks {
  readonly PNET: PostProvider & JobProvider;
  readonly PHOTONET: PostProvider;
}

/** @param clock the time that the relative `date` of a pnet post is counted from */
export function sandboxNetworks({ clock }: { readonly clock: () => Date }): SandboxNetworks {
  return {
    PNET: { ...pnetPosts(clock), editPosting, publish, solveCheckpoint },
    PHOTONET: photonetSandbox(),
  };
}
