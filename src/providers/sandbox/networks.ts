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
import type { Networks } from '../provider.ts';
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

/**
 * The sandbox in the place of both networks.
 *
 * @param clock says what "now" is for the relative `date` of a post
 */
export function sandboxNetworks({ clock }: { readonly clock: () => Date }): Networks {
  return {
    pnet: { ...pnetPosts(clock), editPosting, publish, solveCheckpoint },
    photonet: photonetSandbox(),
  };
}
