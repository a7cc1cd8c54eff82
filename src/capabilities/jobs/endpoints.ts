import { z } from 'zod';
import { type ContractEndpoint, constantsOf } from '../../kernel/endpoint.ts';
import { editJob, publishJob, solveJobCheckpoint } from './operations.ts';
import {
  applyMethodShape,
  jobCheckpointOpenedShape,
  jobEditedShape,
  jobPublishedShape,
  screeningQuestionShape,
} from './shapes.ts';
import {
  checkpointTypes,
  employmentStatuses,
  jobServices,
  jobStates,
  payFrequencies,
  publishModes,
  seniorities,
  workplaces,
} from './vocabulary.ts';

const publishResultShape = z.discriminatedUnion('object', [jobPublishedShape, jobCheckpointOpenedShape]);

/** Terms that an upstream service may spell differently. */
export const jobVocabularies = {
  job_objects: [jobEditedShape, publishResultShape].flatMap((shape) => constantsOf(shape, 'object')),
  job_states: jobStates,
  checkpoint_types: checkpointTypes,
  workplaces,
  employment_statuses: employmentStatuses,
  seniorities,
  pay_frequencies: payFrequencies,
  answer_types: constantsOf(screeningQuestionShape, 'answer_type'),
  apply_methods: constantsOf(applyMethodShape, 'type'),
  job_services: jobServices,
  publish_modes: publishModes,
} as const;

const jobEndpoint = {
  capability: 'jobs',
  status: 200,
  body: true,
  malformedId: 'invalid_resource_identifier',
  refusesFor: 'account',
} as const;

const publishResultTerms = { object: 'job_objects', job_state: 'job_states', type: 'checkpoint_types' } as const;

export const jobEndpoints = {
  edit: {
    ...jobEndpoint,
    name: 'EDIT',
    operationId: 'editJob',
    method: 'PATCH',
    path: '/pnet/jobs/{job_id}',
    summary: 'Edit a job posting',
    operation: editJob,
    response: jobEditedShape,
    terms: {
      request: {
        workplace: 'workplaces',
        employment_status: 'employment_statuses',
        'screening_questions.*.answer_type': 'answer_types',
        'recruiter.seniority': 'seniorities',
        'apply_method.type': 'apply_methods',
        'salary.pay_frequency': 'pay_frequencies',
        'additional_compensation.pay_frequency': 'pay_frequencies',
      },
      response: { object: 'job_objects' },
    },
  },
  publish: {
    ...jobEndpoint,
    name: 'PUB',
    operationId: 'publishJob',
    method: 'POST',
    path: '/pnet/jobs/{draft_id}/publish',
    summary: 'Publish a draft',
    operation: publishJob,
    response: publishResultShape,
    terms: { request: { mode: 'publish_modes', service: 'job_services' }, response: publishResultTerms },
  },
  solveCheckpoint: {
    ...jobEndpoint,
    name: 'CHK',
    operationId: 'solveJobCheckpoint',
    method: 'POST',
    path: '/pnet/jobs/{draft_id}/checkpoint',
    summary: 'Solve a publishing checkpoint',
    operation: solveJobCheckpoint,
    response: publishResultShape,
    terms: { request: {}, response: publishResultTerms },
  },
} as const satisfies Record<string, ContractEndpoint<keyof typeof jobVocabularies>>;
