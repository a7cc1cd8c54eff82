import { requireAccount } from '../auth/account-access.ts';
import type { RequestContext } from '../request-context.ts';
import { type Endpoint, type EndpointRequest, notServed, type Upstream } from '../upstream/client.ts';
import type { JobsPort } from './port.ts';
import {
  checkpointTypes,
  employmentStatuses,
  type JobEdited,
  type JobPublishResult,
  jobServices,
  jobStates,
  payFrequencies,
  publishModes,
  seniorities,
  workplaces,
} from './shapes.ts';

/** The words of this capability that an upstream may spell differently. */
export const jobVocabularies = {
  job_objects: ['PnetJobPostingEdited', 'PnetJobPostingPublished', 'PnetJobPostingPublishCheckpoint'],
  job_states: jobStates,
  checkpoint_types: checkpointTypes,
  workplaces,
  employment_statuses: employmentStatuses,
  seniorities,
  pay_frequencies: payFrequencies,
  answer_types: ['numeric', 'multiple_choices'],
  apply_methods: ['pnet', 'external'],
  job_services: jobServices,
  publish_modes: publishModes,
} as const;

const common = { capability: 'jobs', malformedId: 'invalid_resource_identifier', refusesFor: 'account' } as const;

/** What publish and checkpoint answer. */
const publishing = {
  answers: ['PnetJobPostingPublished', 'PnetJobPostingPublishCheckpoint'],
  reads: { object: 'job_objects', job_state: 'job_states', type: 'checkpoint_types' },
} as const;

const endpoints = {
  edit: {
    ...common,
    method: 'PATCH',
    path: '/v1/pnet/jobs/{job_id}',
    answers: ['PnetJobPostingEdited'],
    reads: { object: 'job_objects' },
    writes: {
      workplace: 'workplaces',
      employment_status: 'employment_statuses',
      'screening_questions.*.answer_type': 'answer_types',
      'recruiter.seniority': 'seniorities',
      'apply_method.type': 'apply_methods',
      'salary.pay_frequency': 'pay_frequencies',
      'additional_compensation.pay_frequency': 'pay_frequencies',
    },
  },
  publish: {
    ...common,
    ...publishing,
    method: 'POST',
    path: '/v1/pnet/jobs/{draft_id}/publish',
    writes: { mode: 'publish_modes', service: 'job_services' },
  },
  solveCheckpoint: {
    ...common,
    ...publishing,
    method: 'POST',
    path: '/v1/pnet/jobs/{draft_id}/checkpoint',
    writes: {},
  },
} as const satisfies Record<string, Endpoint>;

/** Postings of a remote service. */
export function upstreamJobs(upstream: Upstream): JobsPort {
  /** The results name the posting that the request did: an answer that forgets it is still one. */
  async function act<Answer>(
    call: RequestContext,
    endpoint: Endpoint,
    id: string,
    request: EndpointRequest,
  ): Promise<Answer> {
    const answer = await upstream.call<Answer & { readonly job_id?: string }>(call, endpoint, request);
    return { ...answer, job_id: answer.job_id ?? id };
  }

  return {
    async edit(call, { job_id, ...body }) {
      requireAccount(call.caller, body.account_id);
      return act<JobEdited>(call, endpoints.edit, job_id, { ids: { job_id }, body });
    },
    async publish(call, { draft_id, ...body }) {
      requireAccount(call.caller, body.account_id);
      return act<JobPublishResult>(call, endpoints.publish, draft_id, { ids: { draft_id }, body });
    },
    async solveCheckpoint(call, { draft_id, ...body }) {
      requireAccount(call.caller, body.account_id);
      return act<JobPublishResult>(call, endpoints.solveCheckpoint, draft_id, { ids: { draft_id }, body });
    },
    createDraft: notServed('make drafts'),
    find: notServed('read job postings back'),
    list: notServed('list job postings'),
  };
}
