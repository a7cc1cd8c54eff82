import { builder, type SchemaTypes } from '../../../graphql/kit/builder.ts';
import { tagOneOf, toSnakeCase } from '../../../graphql/kit/contract-mapping.ts';
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

const JobNameInput = builder.inputType('JobNameInput', {
  description: 'A job title or a company. Provide its id, or free text if it has none.',
  fields: (t) => ({
    providerId: t.id({ description: 'Numeric id at the network, from its search-parameter lookup.' }),
    text: t.string({ description: 'Free text, used when there is no id.' }),
  }),
});

const JobPayInput = builder.inputType('JobPayInput', {
  description: 'A pay range.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', required: true, description: 'Currency of the amounts.' }),
    min: t.float({ required: true, description: 'Lower bound. Must not be negative.' }),
    max: t.float({ required: true, description: 'Upper bound. Must not be below `min`.' }),
    payFrequency: t.field({
      type: PayFrequencyEnum,
      required: true,
      description: 'The period that the amounts refer to.',
    }),
  }),
});

const NumericScreeningQuestionInput = builder.inputType('NumericScreeningQuestionInput', {
  description: 'A screening question that takes a number.',
  fields: (t) => ({
    question: t.string({ required: true, description: 'Text of the question.' }),
    position: t.float({ description: 'Position of the question in the list.' }),
    mustMatch: t.boolean({ description: 'Whether applicants must give an expected answer.' }),
    minExpectation: t.float({ description: 'Lowest expected answer.' }),
    maxExpectation: t.float({ description: 'Highest expected answer. Must not be below `minExpectation`.' }),
  }),
});

const MultipleChoicesScreeningQuestionInput = builder.inputType('MultipleChoicesScreeningQuestionInput', {
  description: 'A multiple-choice screening question.',
  fields: (t) => ({
    question: t.string({ required: true, description: 'Text of the question.' }),
    choices: t.stringList({ required: true, description: 'The choices offered.' }),
    expectedChoices: t.stringList({
      required: true,
      description: 'The expected choices. Each must be one of `choices`.',
    }),
    position: t.float({ description: 'Position of the question in the list.' }),
    mustMatch: t.boolean({ description: 'Whether applicants must give an expected answer.' }),
  }),
});

const ScreeningQuestionInput = builder.inputType('ScreeningQuestionInput', {
  description: 'A screening question for applicants. Provide exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    numeric: t.field({ type: NumericScreeningQuestionInput, description: 'A question that takes a number.' }),
    multipleChoices: t.field({
      type: MultipleChoicesScreeningQuestionInput,
      description: 'A multiple-choice question.',
    }),
  }),
});

const JobRecruiterInput = builder.inputType('JobRecruiterInput', {
  description: 'Settings of the recruiting service.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Id of the project to link the job to.' }),
    functions: t.idList({
      description: `Ids of job functions, in lower case, from the lookup type \`JOB_FUNCTION\`: ${between(recruiterLimits.functions)}.`,
    }),
    industries: t.idList({ description: `Ids of industries: ${between(recruiterLimits.industries)}.` }),
    skills: t.idList({ description: `Ids of skills: ${between(recruiterLimits.skills)}.` }),
    seniority: t.field({ type: SeniorityEnum, description: 'Seniority level of the position.' }),
    hasPosterInfo: t.boolean({ description: 'Whether the posting shows who posted it. Defaults to true.' }),
  }),
});

const PnetApplyMethodInput = builder.inputType('PnetApplyMethodInput', {
  description: 'Applications are made on the network.',
  fields: (t) => ({
    notificationEmail: t.string({ required: true, description: 'Email address that is notified of applications.' }),
    isResumeRequired: t.boolean({ required: true, description: 'Whether applicants must attach a résumé.' }),
  }),
});

const ExternalApplyMethodInput = builder.inputType('ExternalApplyMethodInput', {
  description: 'Applications are made on an external website.',
  fields: (t) => ({
    url: t.string({ required: true, description: 'URL of the website, with the scheme http or https.' }),
  }),
});

const ApplyMethodInput = builder.inputType('ApplyMethodInput', {
  description: 'How applications are made. Provide exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    pnet: t.field({ type: PnetApplyMethodInput, description: 'On the network.' }),
    external: t.field({ type: ExternalApplyMethodInput, description: 'On an external website.' }),
  }),
});

const AutoArchiveApplicantsInput = builder.inputType('AutoArchiveApplicantsInput', {
  description: 'Which applicants are archived automatically.',
  fields: (t) => ({
    hasFailedScreening: t.boolean({
      description: 'Archives applicants who fail a must-match screening question. Defaults to true.',
    }),
    isOutsideOfCountry: t.boolean({
      description: 'Archives applicants outside the country of the job. Defaults to true.',
    }),
  }),
});

/** How an edit removes a value, where the contract has a way to. */
const clearedBy = {
  text: ' To clear it, send an empty string.',
  list: ' To clear it, send an empty list.',
  nothing: ' Cannot be cleared.',
} as const;

/** The fields of an edit and of a new draft. @param edits whether descriptions say how to clear a stored value */
const jobInputFields = (t: PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>, edits: boolean) => {
  const clearing = edits ? clearedBy : { text: '', list: '', nothing: '' };
  return {
    company: t.field({ type: JobNameInput, description: `The hiring company.${clearing.nothing}` }),
    workplace: t.field({ type: WorkplaceEnum, description: `Where the work takes place.${clearing.nothing}` }),
    location: t.id({
      description: `Numeric id of the location, from the lookup type \`LOCATION\`.${clearing.nothing}`,
    }),
    employmentStatus: t.field({ type: EmploymentStatusEnum, description: `Type of employment.${clearing.nothing}` }),
    description: t.string({
      description: `Job description, up to 20,000 characters. HTML tags are allowed.${clearing.text}`,
    }),
    autoRejectionTemplate: t.string({ description: `Message that rejected applicants receive.${clearing.text}` }),
    screeningQuestions: t.field({
      type: [ScreeningQuestionInput],
      description: `Questions for applicants. An edit replaces the whole list.${clearing.list}`,
    }),
    recruiter: t.field({
      type: JobRecruiterInput,
      description: `Settings of the recruiting service.${clearing.nothing}`,
    }),
    trackingPixelUrl: t.string({
      description: `URL of a tracking pixel that loads with the posting.${clearing.nothing}`,
    }),
    companyJobId: t.id({ description: `Id of the job in your own system.${clearing.text}` }),
    applyMethod: t.field({ type: ApplyMethodInput, description: `How applications are made.${clearing.nothing}` }),
    salary: t.field({ type: JobPayInput, description: `Salary range.${clearing.nothing}` }),
    additionalCompensation: t.field({
      type: JobPayInput,
      description: `Compensation paid on top of the salary.${clearing.nothing}`,
    }),
    autoArchiveApplicants: t.field({
      type: AutoArchiveApplicantsInput,
      description: 'Which applicants are archived automatically.',
    }),
    hasRejectionNotification: t.boolean({
      description: 'Whether rejected applicants are notified. Defaults to true.',
    }),
  };
};

export const EditJobInput = builder.inputType('EditJobInput', {
  description:
    'Changes to a job posting. Each field that is present replaces the stored value as a whole. To keep a value, omit its field: null is an error.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Id of the connected account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Id of the job to edit.' }),
    jobTitle: t.field({ type: JobNameInput, description: `Job title.${clearedBy.nothing}` }),
    ...jobInputFields(t, true),
  }),
});

export const CreateJobDraftInput = builder.inputType('CreateJobDraftInput', {
  description: 'A new draft of a job posting.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Id of the connected account that the draft will belong to.' }),
    idempotencyKey: t.string(idempotencyKeyOfCreation),
    jobTitle: t.field({ type: JobNameInput, required: true, description: 'Job title.' }),
    ...jobInputFields(t, false),
  }),
});

const AmountInput = builder.inputType('AmountInput', {
  description: 'An amount of money.',
  fields: (t) => ({
    currency: t.field({ type: 'Currency', required: true, description: 'Currency of the amount.' }),
    amount: t.float({ required: true, description: 'The amount. Must be above 0.' }),
  }),
});

const JobBudgetInput = builder.inputType('JobBudgetInput', {
  description: 'The budget of a promoted job. Provide exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    daily: t.field({ type: AmountInput, description: 'Budget per day.' }),
    monthly: t.field({ type: AmountInput, description: 'Budget per month.' }),
  }),
});

export const PublishJobInput = builder.inputType('PublishJobInput', {
  description: 'How to publish a draft.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Id of the connected account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Id of the draft to publish.' }),
    mode: t.field({
      type: PublishModeEnum,
      required: true,
      description: 'Whether to publish a free or a paid listing.',
    }),
    service: t.field({ type: JobServiceEnum, description: 'Service to publish with. Defaults to `CLASSIC`.' }),
    budget: t.field({
      type: JobBudgetInput,
      description: "Budget of a `PROMOTED` or `PROMOTED_PLUS` listing. Defaults to the network's recommendation.",
    }),
    hasHiringPhotoFrame: t.boolean({ description: 'Whether to add the hiring frame to the profile picture.' }),
    bypassEmailVerification: t.boolean({
      description: 'Whether to skip the verification that the member may post for the current company.',
    }),
  }),
});

export const SolveJobCheckpointInput = builder.inputType('SolveJobCheckpointInput', {
  description: "The solution to a draft's checkpoint.",
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'Id of the connected account that makes the request.' }),
    jobId: t.id({ required: true, description: 'Id of the draft that the checkpoint belongs to.' }),
    solution: t.string({
      required: true,
      description: 'The one-time code, or the token from the email, that the network sent.',
    }),
  }),
});

const postingNames = { hasRejectionNotification: 'send_rejection_notification' };

/** In the contract's terms: two one-ofs are tagged; other fields change only their names. */
export function jobRequest({
  applyMethod,
  screeningQuestions,
  recruiter,
  autoArchiveApplicants,
  ...fields
}: Partial<typeof EditJobInput.$inferInput>): Record<string, unknown> {
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
  toSnakeCase(input, { ...draftNames, hasHiringPhotoFrame: 'hiring_photo_frame' });

export const solutionRequest = (input: typeof SolveJobCheckpointInput.$inferInput): object =>
  toSnakeCase(input, { ...draftNames, solution: 'input' });
