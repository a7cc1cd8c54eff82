import { builder } from '../../graphql/builder.ts';
import { tagOneOf, toSnakeCase } from '../../graphql/contract-mapping.ts';
import { recruiterLimits } from '../shapes.ts';
import {
  EmploymentStatusEnum,
  JobServiceEnum,
  PayFrequencyEnum,
  PublishModeEnum,
  SeniorityEnum,
  WorkplaceEnum,
} from './enums.ts';

const between = ({ min, max }: { readonly min: number; readonly max: number }) => `${min} to ${max} of them`;

/** What the network knows by an id of its own, or is told as free text. */
const namedThingInput = (name: string, description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({
      providerId: t.id({ description: 'Numeric id at the network, found with its lookup of search parameters.' }),
      text: t.string({ description: 'Free text, for what has no id.' }),
    }),
  });

const JobTitleInput = namedThingInput('JobTitleInput', 'The title of a position: its id, or free text without one.');
const JobCompanyInput = namedThingInput('JobCompanyInput', 'The company that hires: its id, or free text without one.');

const JobPayInput = builder.inputType('JobPayInput', {
  description: 'A range of pay.',
  fields: (t) => ({
    currency: t.string({ required: true, description: 'Currency of the amounts, such as `EUR`.' }),
    min: t.float({ required: true, description: 'Lower end.' }),
    max: t.float({ required: true, description: 'Upper end, not below `min`.' }),
    payFrequency: t.field({ type: PayFrequencyEnum, required: true, description: 'What it is paid for.' }),
  }),
});

const NumericScreeningQuestionInput = builder.inputType('NumericScreeningQuestionInput', {
  description: 'A question that is answered with a number.',
  fields: (t) => ({
    question: t.string({ required: true, description: 'What is asked.' }),
    position: t.float({ description: 'Its place among the questions.' }),
    mustMatch: t.boolean({ description: 'Whether an applicant must answer as expected.' }),
    minExpectation: t.float({ description: 'The least that is expected.' }),
    maxExpectation: t.float({ description: 'The most that is expected.' }),
  }),
});

const MultipleChoicesScreeningQuestionInput = builder.inputType('MultipleChoicesScreeningQuestionInput', {
  description: 'A question that is answered by choosing.',
  fields: (t) => ({
    question: t.string({ required: true, description: 'What is asked.' }),
    choices: t.stringList({ required: true, description: 'What can be chosen.' }),
    expectedChoices: t.stringList({ required: true, description: 'What is expected to be chosen, out of `choices`.' }),
    position: t.float({ description: 'Its place among the questions.' }),
    mustMatch: t.boolean({ description: 'Whether an applicant must answer as expected.' }),
  }),
});

const ScreeningQuestionInput = builder.inputType('ScreeningQuestionInput', {
  description: 'A question that applicants answer: exactly one of its kinds.',
  isOneOf: true,
  fields: (t) => ({
    numeric: t.field({ type: NumericScreeningQuestionInput, description: 'Answered with a number.' }),
    multipleChoices: t.field({ type: MultipleChoicesScreeningQuestionInput, description: 'Answered by choosing.' }),
  }),
});

const JobRecruiterInput = builder.inputType('JobRecruiterInput', {
  description: 'Overrides for the service for recruiters.',
  fields: (t) => ({
    projectId: t.id({ required: true, description: 'Project to link the job to.' }),
    functions: t.idList({
      description: `Ids of job functions in lower case, ${between(recruiterLimits.functions)} (lookup type JOB_FUNCTION).`,
    }),
    industries: t.idList({ description: `Ids of industries, ${between(recruiterLimits.industries)}.` }),
    skills: t.idList({ description: `Ids of skills, ${between(recruiterLimits.skills)}.` }),
    seniority: t.field({ type: SeniorityEnum, description: 'How senior the position is.' }),
    includePosterInfo: t.boolean({ description: 'Whether it shows who posted it; true when left out.' }),
  }),
});

const PnetApplyMethodInput = builder.inputType('PnetApplyMethodInput', {
  description: 'Applicants apply within the network.',
  fields: (t) => ({
    notificationEmail: t.string({ required: true, description: 'Where news of applications go.' }),
    resumeRequired: t.boolean({ required: true, description: 'Whether a résumé must be attached.' }),
  }),
});

const ExternalApplyMethodInput = builder.inputType('ExternalApplyMethodInput', {
  description: 'Applicants apply on a website.',
  fields: (t) => ({ url: t.string({ required: true, description: 'Address of the website: http or https.' }) }),
});

const ApplyMethodInput = builder.inputType('ApplyMethodInput', {
  description: 'How applicants apply: exactly one of the ways.',
  isOneOf: true,
  fields: (t) => ({
    pnet: t.field({ type: PnetApplyMethodInput, description: 'Within the network.' }),
    external: t.field({ type: ExternalApplyMethodInput, description: 'On a website.' }),
  }),
});

const AutoArchiveApplicantsInput = builder.inputType('AutoArchiveApplicantsInput', {
  description: 'Which applicants are archived without a look at them.',
  fields: (t) => ({
    screeningQuestions: t.boolean({
      description: 'Those who do not answer the must-match questions as expected; true when left out.',
    }),
    outsideOfCountry: t.boolean({ description: 'Those outside the country that is hired in; true when left out.' }),
  }),
});

/** The fields of a posting, for both inputs that have them. */
const jobFields = (t: PothosSchemaTypes.InputFieldBuilder<(typeof builder)['$inferSchemaTypes'], 'InputObject'>) => ({
  company: t.field({ type: JobCompanyInput, description: 'The company that hires.' }),
  workplace: t.field({ type: WorkplaceEnum, description: 'Where the work is done.' }),
  location: t.id({ description: 'Numeric id of the place, of the lookup type LOCATION.' }),
  employmentStatus: t.field({ type: EmploymentStatusEnum, description: 'The kind of employment.' }),
  description: t.string({ description: 'Description, up to 20,000 characters; HTML tags are allowed.' }),
  autoRejectionTemplate: t.string({ description: 'What rejected applicants are written.' }),
  screeningQuestions: t.field({
    type: [ScreeningQuestionInput],
    description: 'What applicants are asked. The whole list is replaced.',
  }),
  recruiter: t.field({ type: JobRecruiterInput, description: 'Overrides for the service for recruiters.' }),
  trackingPixelUrl: t.string({ description: 'Picture to load with the posting, to count views.' }),
  companyJobId: t.id({ description: "The company's own id of the job." }),
  applyMethod: t.field({ type: ApplyMethodInput, description: 'How applicants apply.' }),
  salary: t.field({ type: JobPayInput, description: 'Salary.' }),
  additionalCompensation: t.field({ type: JobPayInput, description: 'What is paid beside the salary.' }),
  autoArchiveApplicants: t.field({
    type: AutoArchiveApplicantsInput,
    description: 'Which applicants are archived without a look at them.',
  }),
  sendRejectionNotification: t.boolean({ description: 'Whether rejected applicants are told; true when left out.' }),
});

export const EditJobInput = builder.inputType('EditJobInput', {
  description:
    'What to change about a job posting. Only the fields that are present change, each as a whole; to leave one as it is, leave it out: null is refused.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'The connected account to make the request from.' }),
    jobId: t.id({ required: true, description: 'The job to edit.' }),
    jobTitle: t.field({ type: JobTitleInput, description: 'Title of the position.' }),
    ...jobFields(t),
  }),
});

export const CreateJobDraftInput = builder.inputType('CreateJobDraftInput', {
  description: 'A draft of a job posting.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'The connected account that it is to belong to.' }),
    jobTitle: t.field({ type: JobTitleInput, required: true, description: 'Title of the position.' }),
    ...jobFields(t),
  }),
});

const AmountInput = builder.inputType('AmountInput', {
  description: 'An amount of money.',
  fields: (t) => ({
    currency: t.string({ required: true, description: 'Currency of the amount, such as `EUR`.' }),
    amount: t.float({ required: true, description: 'The amount, above 0.' }),
  }),
});

const JobBudgetInput = builder.inputType('JobBudgetInput', {
  description: 'What promoting a job may cost: for a day or for a month, exactly one of them.',
  isOneOf: true,
  fields: (t) => ({
    daily: t.field({ type: AmountInput, description: 'For each day.' }),
    monthly: t.field({ type: AmountInput, description: 'For each month.' }),
  }),
});

export const PublishJobInput = builder.inputType('PublishJobInput', {
  description: 'How to publish a draft.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'The connected account to make the request from.' }),
    draftId: t.id({ required: true, description: 'The draft to publish: its `jobId`.' }),
    mode: t.field({ type: PublishModeEnum, required: true, description: 'As a free or as a paid listing.' }),
    service: t.field({ type: JobServiceEnum, description: 'Service to publish with; CLASSIC when left out.' }),
    budget: t.field({
      type: JobBudgetInput,
      description: "For PROMOTED and PROMOTED_PLUS only; the network's recommendation when left out.",
    }),
    hiringPhotoFrame: t.boolean({ description: 'Adds the hiring frame to the profile picture.' }),
    bypassEmailVerification: t.boolean({
      description: 'Skips the check that the caller may post for the current company.',
    }),
  }),
});

export const SolveJobCheckpointInput = builder.inputType('SolveJobCheckpointInput', {
  description: 'The answer to the checkpoint of a draft.',
  fields: (t) => ({
    accountId: t.id({ required: true, description: 'The connected account to make the request from.' }),
    draftId: t.id({ required: true, description: 'The draft: the `jobId` of the checkpoint.' }),
    input: t.string({
      required: true,
      description: 'The one-time code, or the token of the e-mail, that the network has sent.',
    }),
  }),
});

/** The two one-of fields of a posting in the words of the contract; every other is the same under another key. */
export function jobRequest({
  applyMethod,
  screeningQuestions,
  ...fields
}: Partial<typeof EditJobInput.$inferInput>): Record<string, unknown> {
  return {
    ...toSnakeCase(fields),
    ...(applyMethod === undefined ? {} : { apply_method: tagOneOf('type', applyMethod) }),
    ...(screeningQuestions === undefined
      ? {}
      : { screening_questions: screeningQuestions?.map((question) => tagOneOf('answer_type', question)) ?? null }),
  };
}
