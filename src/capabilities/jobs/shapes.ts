/** Job postings: requests and results of the contract, and rules between fields that need no I/O. */
import { z } from 'zod';
import { keysOf } from '../../kernel/lib/objects.ts';
import { anyOf, type CursorScope } from '../../kernel/paging.ts';
import {
  anyValueOf,
  boundedList,
  httpUrl,
  identifier,
  idList,
  label,
  maxEntries,
  maxPage,
  numericId,
  over,
  ownRule,
  pageCursor,
  pageLimit,
  resourceId,
  rule,
  searchText,
  shortText,
  statement,
  text,
  watchedIds,
} from '../../kernel/validation.ts';
import { currencies } from './currencies.ts';
import {
  checkpointTypes,
  employmentStatuses,
  jobOrders,
  jobServices,
  jobStates,
  payFrequencies,
  seniorities,
  workplaces,
} from './vocabulary.ts';

/** In entries (contract, "Limits"). */
export const recruiterLimits = {
  functions: { min: 1, max: 3 },
  industries: { min: 1, max: 3 },
  skills: { min: 1, max: 10 },
} as const;

const titleOrCompany = z
  .strictObject({ id: numericId().optional(), text: label().optional() })
  .refine(({ id, text }) => id !== undefined || text !== undefined, {
    ...ownRule('required', 'needs an id or a text'),
    ...over(),
  })
  .meta({ minProperties: 1 });

const currency = () =>
  shortText()
    .refine((code) => currencies.has(code), ownRule('not_allowed', 'must be an ISO 4217 code such as EUR'))
    .meta({ enum: [...currencies] });

const payAmount = () =>
  z
    .number()
    .refine((value) => value >= 0, ownRule('too_small', 'must not be negative', { limit: 0 }))
    .meta({ minimum: 0 });

const pay = z
  .strictObject({
    currency: currency(),
    min: payAmount(),
    max: payAmount(),
    pay_frequency: z.enum(payFrequencies),
  })
  // A negative max is named already.
  .refine(({ min, max }) => max < 0 || min <= max, {
    ...ownRule('conflicting', 'must not be below min'),
    ...over('min', 'max'),
    path: ['max'],
  });

/** Whether the address has a host with a dot: a network sends there from elsewhere. */
const isEmailAddress = (value: string): boolean =>
  z.regexes.html5Email.test(value) && value.includes('.', value.lastIndexOf('@'));

const numericQuestion = z
  .strictObject({
    answer_type: z.literal('numeric'),
    question: statement(),
    position: z.number().optional(),
    must_match: z.boolean().optional(),
    min_expectation: z.number().optional(),
    max_expectation: z.number().optional(),
  })
  .refine(({ min_expectation: min, max_expectation: max }) => min === undefined || max === undefined || min <= max, {
    ...ownRule('conflicting', 'must not be below the lowest expected answer'),
    ...over('min_expectation', 'max_expectation'),
    path: ['max_expectation'],
  });

const choiceQuestion = z
  .strictObject({
    answer_type: z.literal('multiple_choices'),
    question: statement(),
    choices: boundedList(label(), 0, maxEntries)
      .refine((list) => list.length > 0, ownRule('too_few', 'must have at least 1 entry', { limit: 1 }))
      .meta({ minItems: 1 }),
    expected_choices: boundedList(shortText(), 0, maxEntries),
    position: z.number().optional(),
    must_match: z.boolean().optional(),
  })
  .refine(({ choices, expected_choices }) => areAmong(choices, expected_choices), {
    ...ownRule('conflicting', 'must all be among choices'),
    ...over('choices', 'expected_choices'),
    path: ['expected_choices'],
  });

function areAmong(choices: readonly string[], expected: readonly string[]): boolean {
  const known = new Set(choices);
  return expected.every((choice) => known.has(choice));
}

export const screeningQuestionShape = z.discriminatedUnion('answer_type', [numericQuestion, choiceQuestion]);

const idsWithin = ({ min, max }: { readonly min: number; readonly max: number }) => boundedList(identifier(), min, max);

const recruiterShape = z.strictObject({
  project_id: identifier(),
  functions: boundedList(
    identifier()
      .refine((id) => id === id.toLowerCase(), rule('malformed', 'must be in lower case'))
      .meta({ description: 'In lower case.' }),
    recruiterLimits.functions.min,
    recruiterLimits.functions.max,
  ).optional(),
  industries: idsWithin(recruiterLimits.industries).optional(),
  skills: idsWithin(recruiterLimits.skills).optional(),
  seniority: z.enum(seniorities).optional(),
  include_poster_info: z.boolean().optional(),
});

export const applyMethodShape = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('pnet'),
    notification_email: shortText()
      .refine(isEmailAddress, ownRule('malformed', 'must be an e-mail address'))
      .meta({ format: 'email' }),
    resume_required: z.boolean(),
  }),
  z.strictObject({ type: z.literal('external'), url: httpUrl() }),
]);

/** Fields that an edit may set; each replaces the stored value as a whole. */
export const jobFields = {
  job_title: titleOrCompany.optional(),
  company: titleOrCompany.optional(),
  workplace: z.enum(workplaces).optional(),
  location: numericId().optional(),
  employment_status: z.enum(employmentStatuses).optional(),
  description: text().optional(),
  auto_rejection_template: text().optional(),
  screening_questions: boundedList(screeningQuestionShape, 0, maxEntries).optional(),
  recruiter: recruiterShape.optional(),
  tracking_pixel_url: httpUrl().optional(),
  company_job_id: shortText().optional(),
  apply_method: applyMethodShape.optional(),
  salary: pay.optional(),
  additional_compensation: pay.optional(),
  auto_archive_applicants: z
    .strictObject({ screening_questions: z.boolean().optional(), outside_of_country: z.boolean().optional() })
    .optional(),
  send_rejection_notification: z.boolean().optional(),
};

/** PATCH /v1/pnet/jobs/{job_id}: the path's id and the body. */
export const jobEditShape = z.strictObject({ job_id: resourceId(), account_id: resourceId(), ...jobFields });

export const jobFieldsShape = z.strictObject({ job_ids: idList(), fields: z.array(z.enum(keysOf(jobFields))) });

/** An addition to the contract: a titled posting that is not published yet. */
export const jobDraftShape = z.strictObject({ account_id: resourceId(), ...jobFields, job_title: titleOrCompany });

const amount = z.strictObject({
  currency: currency(),
  amount: z
    .number()
    .refine((value) => value > 0, ownRule('too_small', 'must be above 0'))
    .meta({ exclusiveMinimum: 0 }),
});

const budgetShape = z
  .strictObject({ daily: amount.optional(), monthly: amount.optional() })
  .refine(({ daily, monthly }) => daily !== undefined || monthly !== undefined, {
    ...rule('required', 'needs either daily or monthly'),
    ...over(),
  })
  .refine(({ daily, monthly }) => daily === undefined || monthly === undefined, {
    ...rule('conflicting', 'needs either daily or monthly'),
    ...over(),
  })
  .meta({ minProperties: 1, maxProperties: 1 });

const publishCommon = {
  draft_id: resourceId(),
  account_id: resourceId(),
  service: z.enum(jobServices).optional(),
  hiring_photo_frame: z.boolean().optional(),
  bypass_email_verification: z.boolean().optional(),
};

/** POST /v1/pnet/jobs/{draft_id}/publish: the path's id and the body, by `mode`. */
export const jobPublishShape = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('FREE'), ...publishCommon }),
  z.strictObject({ mode: z.literal('PROMOTED'), ...publishCommon, budget: budgetShape.optional() }),
  z.strictObject({
    mode: z.literal('PROMOTED_PLUS'),
    ...publishCommon,
    service: z.literal('CLASSIC', 'must be CLASSIC: PROMOTED_PLUS is not offered for RECRUITER').optional(),
    budget: budgetShape.optional(),
  }),
]);

/** An addition to the contract. */
export const jobListLimits = { limit: { min: 1, max: maxPage, default: 100 } } as const;

const jobFilter = {
  account_id: identifier().optional(),
  states: anyValueOf(jobStates),
  query: searchText().optional(),
};

export type JobOrder = (typeof jobOrders)[number];
export const defaultJobOrder: JobOrder = 'created_at_desc';

export const jobFilterShape = z.strictObject(jobFilter);

/** An addition to the contract. */
export const jobListShape = z.strictObject({
  ...jobFilter,
  order_by: z.enum(jobOrders).optional(),
  limit: pageLimit(jobListLimits.limit).optional(),
  cursor: pageCursor().optional(),
});

/** An addition to the contract. */
export const jobWatchShape = z.strictObject({ job_ids: watchedIds() });

/** Binds cursors, beside the key. A cursor belongs to its order. */
export const jobListScope = ({
  account_id,
  states,
  query,
  order_by = defaultJobOrder,
}: JobFilter & Pick<JobListRequest, 'order_by'>): CursorScope => [account_id, anyOf(states), query, order_by];

/** POST /v1/pnet/jobs/{draft_id}/checkpoint: the path's id and the body. */
export const jobCheckpointShape = z.strictObject({
  draft_id: resourceId(),
  account_id: resourceId(),
  input: label(),
});

export const jobEditedShape = z.object({ object: z.literal('PnetJobPostingEdited'), job_id: z.string() });

export const jobPublishedShape = z.object({
  object: z.literal('PnetJobPostingPublished'),
  job_state: z.enum(jobStates),
  job_id: z.string(),
});

export const jobCheckpointOpenedShape = z.object({
  object: z.literal('PnetJobPostingPublishCheckpoint'),
  type: z.enum(checkpointTypes),
  job_id: z.string(),
});

export type JobState = (typeof jobStates)[number];
export type CheckpointType = (typeof checkpointTypes)[number];
export type JobEdit = z.infer<typeof jobEditShape>;
export type JobDraft = z.infer<typeof jobDraftShape>;
export type JobFields = Omit<JobEdit, 'job_id' | 'account_id'>;
export type JobFieldsRequest = z.infer<typeof jobFieldsShape>;
export type JobPublish = z.infer<typeof jobPublishShape>;
export type JobFilter = z.infer<typeof jobFilterShape>;
export type JobWatch = z.infer<typeof jobWatchShape>;
export type JobListRequest = z.infer<typeof jobListShape>;
export type JobCheckpoint = z.infer<typeof jobCheckpointShape>;
export type JobEdited = z.infer<typeof jobEditedShape>;
export type JobPublished = z.infer<typeof jobPublishedShape>;
export type JobCheckpointOpened = z.infer<typeof jobCheckpointOpenedShape>;
export type JobPublishResult = JobPublished | JobCheckpointOpened;

/** An addition to the contract: a posting, mostly without its content ({@link JobFields}). Times are epoch milliseconds. */
export interface JobPosting {
  readonly object: 'PnetJobPosting';
  readonly job_id: string;
  readonly account_id: string;
  readonly job_state: JobState;
  readonly checkpoint: OpenCheckpoint | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** Small, of a list that was read with it. Content that is not here is read by itself. */
  readonly content?: JobFields;
}

/** A page of a list, with the small contents of its postings if they are selected. */
export interface JobPageRequest extends JobListRequest {
  readonly withContent?: boolean;
}

/** A checkpoint that the network requires before it publishes the draft, and how long it stays open. */
export interface OpenCheckpoint extends Readonly<JobCheckpointOpened> {
  readonly attempts_left: number;
  readonly expires_at: number;
}
