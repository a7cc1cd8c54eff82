import { builder } from '../../../graphql/kit/builder.ts';
import { tagOneOf, toSnakeCase, unwrapped } from '../../../graphql/kit/contract-mapping.ts';
import { idempotencyKeyOfCreation } from '../../../graphql/kit/idempotent-mutation.ts';
import { recruiterLimits } from '../shapes.ts';
import {
  EmploymentStatusEnum,
  JobServiceEnum,
  PayFrequencyEnum,
  PublishModeEnum,
  SeniorityEnum,
  WorkplaceEnum,
} from './enums.ts';

const between = ({ min, max }: { readonly min: number; readonly max: number }) => `${min} to ${max} entries`;

const PnetJobNameInput = builder.inputType('PnetJobNameInput', {
  description: 'A job title or a company, by id or as free text.',
  fields: (t) => ({
    providerId: t.id({ description: "Numeric id from the network's lookup." }),
    text: t.string({ description: 'Free text, if there is no id.' }),
  }),
});

const PnetJobPayInput = builder.inputType('PnetJobPayInput', {
  description: 'A pay range.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', required: true, description: 'Currency of the amounts.' }),
    min: t.float({ required: true, description: 'Lower bound, at least 0.' }),
    max: t.float({ required: true, description: 'Upper bound, at least `min`.' }),
    payFrequency: t.field({
      type: PayFrequencyEnum,
      required: true,
      description: 'Period of the amounts.',
    }),
  }),
});

const NumericScreeningQuestionInput = builder.inputType('NumericScreeningQuestionInput', {
  description: 'A question that takes a number.',
  fields: (t) => ({
    question: t.string({ required: true, description: 'Text.' }),
    position: t.float({ description: 'Position in the list.' }),
    mustMatch: t.boolean({ description: 'Whether an expected answer is required.' }),
    minExpectation: t.float({ description: 'Lowest expected answer.' }),
    maxExpectation: t.float({ description: 'Highest expected answer, at least `minExpectation`.' }),
  }),
});

const MultipleChoicesScreeningQuestionInput = builder.inputType('MultipleChoicesScreeningQuestionInput', {
  description: 'A question with choices.',
  fields: (t) => ({
    question: t.string({ required: true, description: 'Text.' }),
    choices: t.stringList({ required: true, description: 'Choices offered.' }),
    expectedChoices: t.stringList({
      required: true,
      description: 'Expected ones of `choices`.',
    }),
    position: t.float({ description: 'Position in the list.' }),
    mustMatch: t.boolean({ description: 'Whether an expected answer is required.' }),
  }),
});

const ScreeningQuestionInput = builder.inputType('ScreeningQuestionInput', {
  description: 'A question for applicants.',
  isOneOf: true,
  fields: (t) => ({
    numeric: t.field({ type: NumericScreeningQuestionInput, description: 'A question that takes a number.' }),
    multipleChoices: t.field({
      type: MultipleChoicesScreeningQuestionInput,
      description: 'A multiple-choice question.',
    }),
  }),
});

const PnetJobRecruiterInput = builder.inputType('PnetJobRecruiterInput', {
  description: 'Settings of the recruiting service.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Id of the project to link the job to.' }),
    functions: t.idList({
      description: `Ids in lower case, from the lookup \`JOB_FUNCTION\`: ${between(recruiterLimits.functions)}.`,
    }),
    industries: t.idList({ description: `Ids of industries: ${between(recruiterLimits.industries)}.` }),
    skills: t.idList({ description: `Ids of skills: ${between(recruiterLimits.skills)}.` }),
    seniority: t.field({ type: SeniorityEnum, description: 'Seniority.' }),
    hasPosterInfo: t.boolean({ description: 'Whether the poster is shown. Defaults to true.' }),
  }),
});

const PnetApplyMethodInput = builder.inputType('PnetApplyMethodInput', {
  description: 'Applications on the network.',
  fields: (t) => ({
    notificationEmail: t.string({ required: true, description: 'Address that is notified of applications.' }),
    isResumeRequired: t.boolean({ required: true, description: 'Whether a résumé is required.' }),
  }),
});

const ExternalApplyMethodInput = builder.inputType('ExternalApplyMethodInput', {
  description: 'Applications on a website.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'URL, `http` or `https`.' }),
  }),
});

const ApplyMethodInput = builder.inputType('ApplyMethodInput', {
  description: 'How to apply.',
  isOneOf: true,
  fields: (t) => ({
    pnet: t.field({ type: PnetApplyMethodInput, description: 'On the network.' }),
    external: t.field({ type: ExternalApplyMethodInput, description: 'On an external website.' }),
  }),
});

const AutoArchiveApplicantsInput = builder.inputType('AutoArchiveApplicantsInput', {
  description: 'Who is archived automatically.',
  fields: (t) => ({
    hasFailedScreening: t.boolean({
      description: 'Applicants who fail a required question. Defaults to true.',
    }),
    isOutsideOfCountry: t.boolean({
      description: 'Applicants outside the country of the job. Defaults to true.',
    }),
  }),
});

/** An edit removes a value only where the contract has a way to. */
const clearedBy = { text: ' An empty text clears it.', list: ' An empty list clears it.' } as const;

const PnetJobPostingInput = builder.inputType('PnetJobPostingInput', {
  description:
    'Fields of a job posting. In an edit, omit what to keep: null is an error, and only some texts and lists can be cleared. Objects and lists are replaced as a whole.',
  fields: (t) => ({
    jobTitle: t.field({ type: PnetJobNameInput, description: 'Job title. A new draft needs one.' }),
    company: t.field({ type: PnetJobNameInput, description: 'The hiring company.' }),
    workplace: t.field({ type: WorkplaceEnum, description: 'Where the work takes place.' }),
    location: t.id({ description: 'Numeric id from the lookup `LOCATION`.' }),
    employmentStatus: t.field({ type: EmploymentStatusEnum, description: 'Type of employment.' }),
    description: t.string({ description: `Text with HTML tags, up to 20,000 characters.${clearedBy.text}` }),
    autoRejectionTemplate: t.string({ description: `Message to rejected applicants.${clearedBy.text}` }),
    screeningQuestions: t.field({
      type: [ScreeningQuestionInput],
      description: `Questions for applicants.${clearedBy.list}`,
    }),
    recruiter: t.field({ type: PnetJobRecruiterInput, description: 'Settings of the recruiting service.' }),
    trackingPixelUrl: t.string({ description: 'URL of a tracking pixel.' }),
    companyJobId: t.id({ description: `Id in your own system.${clearedBy.text}` }),
    applyMethod: t.field({ type: ApplyMethodInput, description: 'How to apply.' }),
    salary: t.field({ type: PnetJobPayInput, description: 'Salary range.' }),
    additionalCompensation: t.field({ type: PnetJobPayInput, description: 'Pay on top of the salary.' }),
    autoArchiveApplicants: t.field({
      type: AutoArchiveApplicantsInput,
      description: 'Who is archived automatically.',
    }),
    hasRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are notified. Defaults to true.',
    }),
  }),
});

export const EditJobInput = builder.inputType('EditJobInput', {
  description: 'Changes to a job.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Job to edit.' }),
    posting: t.field({ type: PnetJobPostingInput, required: true, description: 'Fields to change.' }),
  }),
});

export const CreateJobDraftInput = builder.inputType('CreateJobDraftInput', {
  description: 'A draft to create.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Account of the draft.' }),
    idempotencyKey: t.string(idempotencyKeyOfCreation),
    posting: t.field({ type: PnetJobPostingInput, required: true, description: 'Fields of the draft.' }),
  }),
});

const AmountInput = builder.inputType('AmountInput', {
  description: 'An amount of money.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', required: true, description: 'Currency of the amount.' }),
    amount: t.float({ required: true, description: 'Amount above 0.' }),
  }),
});

const PnetJobBudgetInput = builder.inputType('PnetJobBudgetInput', {
  description: 'Budget of a promoted job.',
  isOneOf: true,
  fields: (t) => ({
    daily: t.field({ type: AmountInput, description: 'Budget per day.' }),
    monthly: t.field({ type: AmountInput, description: 'Budget per month.' }),
  }),
});

export const PublishJobInput = builder.inputType('PublishJobInput', {
  description: 'How to publish a draft.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Draft to publish.' }),
    mode: t.field({
      type: PublishModeEnum,
      required: true,
      description: 'Free or paid listing.',
    }),
    service: t.field({ type: JobServiceEnum, description: 'Service. Defaults to `CLASSIC`.' }),
    budget: t.field({
      type: PnetJobBudgetInput,
      description: "Budget of a paid listing. Defaults to the network's recommendation.",
    }),
    hasHiringPhotoFrame: t.boolean({ description: 'Whether to add the hiring frame to the profile picture.' }),
    bypassesEmailVerification: t.boolean({
      description: 'Whether to skip the check that the member may post for the company.',
    }),
  }),
});

export const SolveJobCheckpointInput = builder.inputType('SolveJobCheckpointInput', {
  description: "The solution of a draft's checkpoint.",
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Draft of the checkpoint.' }),
    solution: t.string({
      required: true,
      description: 'One-time code, or token from the email.',
    }),
  }),
});

const postingNames = { hasRejectionNotification: 'send_rejection_notification' };

interface PostingOf {
  readonly posting: typeof PnetJobPostingInput.$inferInput;
}

/** The contract has no object around the fields of a posting. */
export const jobRequest = <Input extends PostingOf>({ posting, ...common }: Input): object =>
  unwrapped('posting', postingRequest(posting), toSnakeCase(common));

/** In the contract's terms: two one-ofs are tagged; other fields change only their names. */
function postingRequest({
  applyMethod,
  screeningQuestions,
  recruiter,
  autoArchiveApplicants,
  ...fields
}: PostingOf['posting']): Record<string, unknown> {
  const request = toSnakeCase(fields, postingNames);
  if (recruiter !== undefined)
    request.recruiter = recruiter && toSnakeCase(recruiter, { hasPosterInfo: 'include_poster_info' });
  if (autoArchiveApplicants !== undefined)
    request.auto_archive_applicants =
      autoArchiveApplicants &&
      toSnakeCase(autoArchiveApplicants, {
        hasFailedScreening: 'screening_questions',
        isOutsideOfCountry: 'outside_of_country',
      });
  if (applyMethod !== undefined)
    request.apply_method = tagOneOf('type', applyMethod, { isResumeRequired: 'resume_required' });
  if (screeningQuestions !== undefined)
    request.screening_questions = screeningQuestions?.map((question) => tagOneOf('answer_type', question)) ?? null;
  return request;
}

/** A draft is a posting: the contract has a name of its own for its id. */
const draftNames = { jobId: 'draft_id' };

export const publishRequest = (input: typeof PublishJobInput.$inferInput): object =>
  toSnakeCase(input, {
    ...draftNames,
    hasHiringPhotoFrame: 'hiring_photo_frame',
    bypassesEmailVerification: 'bypass_email_verification',
  });

export const solutionRequest = (input: typeof SolveJobCheckpointInput.$inferInput): object =>
  toSnakeCase(input, { ...draftNames, solution: 'input' });
