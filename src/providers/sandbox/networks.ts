/**
 * The sandbox networks simulate pnet and photonet. Like a payment service's test cards they have a fixed id or word for
 * every documented outcome:
 *
 * - {@link sandboxSessions}: the session token chooses the outcome of every call of its account;
 * - {@link jobScenarios}: the `company_job_id` chooses the outcome of publishing and editing;
 * - {@link checkpointInputs}: the input chooses the outcome of solving a checkpoint;
 * - {@link postIdentifiers}: the identifier chooses the list of posts.
 *
 * They are stateless: a response depends on the request, and on the clock only for the relative `date` of a pnet post.
 * So any number of processes may run them, and publishing a draft twice is the same as publishing it once.
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

/** Identifiers by network, with the owner of the posts or the error of each. */
export const postIdentifiers = { pnet: pnetIdentifiers, photonet: photonetIdentifiers } as const;

export interface SandboxNetworks {
  readonly PNET: PostProvider & JobProvider;
  readonly PHOTONET: PostProvider;
}

/** @param clock for the relative `date` of pnet posts */
export function sandboxNetworks({ clock }: { readonly clock: () => Date }): SandboxNetworks {
  return {
    PNET: { ...pnetPosts(clock), checkSession, editPosting, findPublished, publish, solveCheckpoint },
    PHOTONET: photonetPosts(),
  };
}
