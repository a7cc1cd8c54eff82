/** Outcomes of publishing and editing a posting, chosen by its `company_job_id`. */

import type { CheckpointType, JobFields, JobPublish, JobState } from '../../../capabilities/jobs/shapes.ts';
import { type ErrorName, ServiceError } from '../../../kernel/errors.ts';
import { keysOf } from '../../../kernel/lib/objects.ts';

type PublishMode = JobPublish['mode'];

/** Where a scenario fails; at `checkpoint`, whatever the input. */
type FailsAt = 'publish' | 'edit' | 'checkpoint';

export interface JobScenario {
  readonly description: string;
  readonly steps?: readonly CheckpointType[];
  /** State of the published posting; `active` by default. */
  readonly state?: JobState;
  readonly fails?: {
    readonly at: FailsAt;
    readonly errorName: ErrorName;
    readonly detail: string;
    /** The publishing modes that fail; all by default. */
    readonly modes?: readonly PublishMode[];
  };
  /** The state of an earlier publication, whatever the network responded. */
  readonly published?: JobState;
  readonly delayMs?: number;
}

const promoted = ['PROMOTED', 'PROMOTED_PLUS'] as const;

const failure = <Name extends ErrorName>(at: FailsAt, errorName: Name, detail: string) => ({ at, errorName, detail });

/** A scenario in which every call of one kind fails. */
const failingAt =
  (at: FailsAt, what: string) =>
  <Name extends ErrorName>(errorName: Name, detail: string) => ({
    description: `${what} is errors/${errorName}.`,
    fails: failure(at, errorName, detail),
  });

const publishFails = failingAt('publish', 'Publishing');
const editFails = failingAt('edit', 'Editing');

/** By the name in `sandbox:<name>`. Any other `company_job_id`, or none, follows `publish`. */
export const jobScenarios = {
  publish: { description: 'Is published at once, in the state active.' },
  review: { description: 'Is published in the state review.', state: 'review' },
  paused: { description: 'Is published in the state paused.', state: 'paused' },
  closed: { description: 'Is published in the state closed; it cannot be edited after that.', state: 'closed' },
  draft: { description: 'The network accepts it but keeps it in the state draft.', state: 'draft' },
  slow: { description: 'Is published or edited after about 300 ms.', delayMs: 300 },

  otp: { description: 'Asks for an OTP, then is published.', steps: ['OTP'] },
  'otp-review': {
    description: 'Asks for an OTP, then is published in the state review.',
    steps: ['OTP'],
    state: 'review',
  },
  email: {
    description: 'Asks for e-mail verification, then is published; bypass_email_verification skips that step.',
    steps: ['EMAIL_VERIFICATION'],
  },
  'email-then-otp': {
    description: 'Asks for e-mail verification (unless bypassed), then for an OTP, then is published.',
    steps: ['EMAIL_VERIFICATION', 'OTP'],
  },
  'otp-then-email': {
    description: 'Asks for an OTP, then for e-mail verification (unless bypassed), then is published.',
    steps: ['OTP', 'EMAIL_VERIFICATION'],
  },
  'otp-twice': { description: 'Asks for an OTP twice, then is published.', steps: ['OTP', 'OTP'] },
  'checkpoint-unsolvable': {
    description: 'Asks for an OTP; every input is errors/checkpoint_error.',
    steps: ['OTP'],
    fails: failure(
      'checkpoint',
      'checkpoint_error',
      'The network cannot resolve this checkpoint here: publish from its own site.',
    ),
  },

  'not-free': {
    description:
      'Free publishing is errors/invalid_parameters (not eligible for free posting); promoted it is published.',
    fails: {
      ...failure(
        'publish',
        'invalid_parameters',
        'The draft is not eligible for free posting: publish it as a promoted one.',
      ),
      modes: ['FREE'],
    },
  },
  'payment-error': {
    description: 'Promoted publishing is errors/payment_error; free it is published.',
    fails: {
      ...failure('publish', 'payment_error', 'The payment for promoting the job was declined.'),
      modes: promoted,
    },
  },
  'insufficient-credits': {
    description: 'Promoted publishing is errors/insufficient_credits; free it is published.',
    fails: {
      ...failure('publish', 'insufficient_credits', 'There are not enough credits to promote the job.'),
      modes: promoted,
    },
  },
  'insufficient-job-slot': {
    description: 'Publishing is errors/insufficient_job_slot in every mode.',
    fails: failure('publish', 'insufficient_job_slot', 'No job slot is available: close another job or buy a slot.'),
  },

  'already-performed': {
    description: 'Publishing is errors/action_already_performed: the network has published the draft before.',
    fails: failure('publish', 'action_already_performed', 'The draft is already published.'),
    published: 'active',
  },
  unprocessable: publishFails('unprocessable_entity', 'The network cannot process the draft in its present form.'),
  'invalid-account': publishFails('invalid_account', 'The account is not designed for publishing jobs.'),
  configuration: publishFails(
    'account_configuration_error',
    'The account has no company page to publish the job from.',
  ),
  'provider-error': publishFails('provider_error', 'The network failed. Try again later.'),
  timeout: {
    description: 'Publishing is errors/request_timeout, immediately.',
    fails: failure('publish', 'request_timeout', 'The network did not respond in time. Try again.'),
  },

  'edit-unprocessable': editFails('unprocessable_entity', 'The network cannot process the change in its present form.'),
  'edit-not-allowed': {
    description:
      'Editing is errors/action_already_performed: on the network the job is in a state that cannot be edited.',
    fails: failure('edit', 'action_already_performed', 'The job is in a state that cannot be edited.'),
  },
  'edit-configuration': editFails(
    'account_configuration_error',
    'The configuration of the account prevents the change.',
  ),
  'edit-provider-error': editFails('provider_error', 'The network failed. Try again later.'),
  'edit-timeout': {
    description: 'Editing is errors/request_timeout, immediately.',
    fails: failure('edit', 'request_timeout', 'The network did not respond in time. Try again.'),
  },

  'response-lost': {
    description:
      'Publishing is errors/request_timeout, although the network publishes it; then errors/action_already_performed.',
    fails: failure('publish', 'request_timeout', 'The network did not respond in time. Try again.'),
    published: 'active',
  },

  'malformed-request': publishFails('malformed_request', 'The network cannot parse the posting.'),
  'content-too-large': publishFails('content_too_large', 'The posting is larger than the network accepts.'),
  'invalid-url': publishFails('invalid_url', 'The network does not accept a URL of the posting.'),
  'too-many-characters': publishFails('too_many_characters', 'The description is longer than the network accepts.'),
  'unescaped-characters': publishFails(
    'unescaped_characters',
    'The description contains characters that must be encoded.',
  ),
  'missing-parameters': publishFails('missing_parameters', 'The posting lacks a location, which the network requires.'),
  'limit-too-high': publishFails(
    'limit_too_high',
    'The posting has more screening questions than the network accepts.',
  ),
} as const satisfies Record<string, JobScenario>;

export type JobScenarioName = keyof typeof jobScenarios;
export const jobScenarioNames = keysOf(jobScenarios);

const scenarioPrefix = 'sandbox:';

export const companyJobId = (name: JobScenarioName): string => `${scenarioPrefix}${name}`;

/**
 * @param invalid the error for an unknown name: the contract lets an edit respond with no 400
 * @throws ServiceError `invalid` when the `company_job_id` names no scenario
 */
export function scenarioOf(
  { company_job_id: id }: JobFields,
  invalid: 'invalid_parameters' | 'unprocessable_entity',
): { readonly name: JobScenarioName; readonly scenario: JobScenario } {
  const name = id?.startsWith(scenarioPrefix) ? id.slice(scenarioPrefix.length) : 'publish';
  if (isScenario(name)) return { name, scenario: jobScenarios[name] };
  const message = `names no scenario of the sandbox; the scenarios are ${Object.keys(jobScenarios).join(', ')}`;
  throw new ServiceError(invalid, {
    detail: `company_job_id ${message}`,
    issues: [{ path: ['company_job_id'], code: 'not_allowed', message }],
  });
}

/** @param name from a `company_job_id` or a challenge */
export const isScenario = (name: string): name is JobScenarioName => Object.hasOwn(jobScenarios, name);

/** @throws ServiceError with the error of the scenario at this step, and in this publishing mode */
export function failAt(step: FailsAt, { fails }: JobScenario, mode?: PublishMode): void {
  if (fails?.at !== step) return;
  if (mode !== undefined && fails.modes !== undefined && !fails.modes.includes(mode)) return;
  throw new ServiceError(fails.errorName, { detail: fails.detail });
}
