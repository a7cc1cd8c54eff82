import { requireAccount } from '../../kernel/caller.ts';
import { onlyWith } from '../../kernel/ports.ts';
import type { Upstream } from '../../upstream/client.ts';
import { jobEndpoints } from './endpoints.ts';
import type { JobsPort } from './port.ts';
import { solutionFailure } from './unsolved-checkpoint.ts';

/** Completes a response without the id of its posting. */
export function upstreamJobs(upstream: Upstream): JobsPort {
  return onlyWith<JobsPort>({
    async edit(context, request) {
      requireAccount(context.caller, request.account_id);
      const response = await upstream.call(context, jobEndpoints.edit, request);
      return { ...response, job_id: idIn(response) ?? request.job_id };
    },
    async publish(context, request) {
      requireAccount(context.caller, request.account_id);
      const response = await upstream.call(context, jobEndpoints.publish, request);
      return { ...response, job_id: idIn(response) ?? request.draft_id };
    },
    async solveCheckpoint(context, request) {
      requireAccount(context.caller, request.account_id);
      try {
        const response = await upstream.call(context, jobEndpoints.solveCheckpoint, request);
        return { ...response, job_id: idIn(response) ?? request.draft_id };
      } catch (error) {
        throw solutionFailure(error, null);
      }
    },
  });
}

/** What a service sends is trusted nowhere else: after a command, whatever is known is told. */
const idIn = ({ job_id }: { readonly job_id?: unknown }): string | undefined =>
  typeof job_id === 'string' && job_id !== '' ? job_id : undefined;
