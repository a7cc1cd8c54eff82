/** Enums of postings. Output enums fall back to `UNRECOGNIZED` for unknown values; input enums refuse them. */
import { contractEnum, contractEnums } from '../../../graphql/kit/enums.ts';
import type {
  checkpointTypes,
  employmentStatuses,
  JobOrder,
  JobState,
  jobServices,
  payFrequencies,
  publishModes,
  seniorities,
  workplaces,
} from '../shapes.ts';

type Descriptions<T extends readonly string[]> = Readonly<Record<T[number], string>>;

export const JobOrderEnum = contractEnum('JobOrder', 'Order of a list of job postings.', {
  created_at_desc: 'The newest first.',
  created_at_asc: 'The oldest first.',
  updated_at_desc: 'The last changed first.',
  updated_at_asc: 'The last changed last.',
} satisfies Record<JobOrder, string>);

export const WorkplaceEnum = contractEnum('Workplace', 'Where the work takes place.', {
  ON_SITE: 'At the workplace.',
  HYBRID: 'Partly at the workplace, partly remote.',
  REMOTE: 'Entirely remote.',
} satisfies Descriptions<typeof workplaces>);

export const EmploymentStatusEnum = contractEnum('EmploymentStatus', 'The type of employment.', {
  FULL_TIME: 'Full-time.',
  PART_TIME: 'Part-time.',
  CONTRACT: 'Contract work.',
  TEMPORARY: 'Temporary, for a limited period.',
  OTHER: 'Any other type of employment.',
  VOLUNTEER: 'Unpaid volunteer work.',
  INTERNSHIP: 'An internship.',
} satisfies Descriptions<typeof employmentStatuses>);

export const SeniorityEnum = contractEnum('Seniority', 'The seniority level of a position.', {
  INTERNSHIP: 'Internship.',
  ENTRY_LEVEL: 'Entry level.',
  ASSOCIATE: 'Associate.',
  MID_SENIOR_LEVEL: 'Mid-senior level.',
  DIRECTOR: 'Director.',
  EXECUTIVE: 'Executive.',
  NOT_APPLICABLE: 'No seniority level applies.',
} satisfies Descriptions<typeof seniorities>);

export const PayFrequencyEnum = contractEnum('PayFrequency', 'The period that a pay range refers to.', {
  YEARLY: 'Per year.',
  MONTHLY: 'Per month.',
  HOURLY: 'Per hour.',
} satisfies Descriptions<typeof payFrequencies>);

export const JobServiceEnum = contractEnum('JobService', 'The service of the network that publishes a job.', {
  CLASSIC: 'The standard service, available to every member.',
  RECRUITER: 'The recruiting service.',
} satisfies Descriptions<typeof jobServices>);

export const PublishModeEnum = contractEnum('PublishMode', 'How a job is listed: free of charge or paid.', {
  FREE: 'A free listing. Not every draft is eligible.',
  PROMOTED: 'A paid listing, available with both `CLASSIC` and `RECRUITER`.',
  PROMOTED_PLUS: 'A paid listing with a wider reach, available with `CLASSIC` only.',
} satisfies Descriptions<typeof publishModes>);

export const { output: JobStateEnum, input: KnownJobStateEnum } = contractEnums(
  'JobState',
  'The state of a job posting.',
  {
    active: 'Published and open to applications.',
    draft: 'Not published yet.',
    review: 'Submitted, and under review by the network.',
    closed: 'Closed: it can no longer be edited.',
    paused: 'Published, but currently not open to applications.',
  } satisfies Record<JobState, string>,
);

export const CheckpointTypeEnum = contractEnum(
  'CheckpointType',
  'What the network asks for before it publishes a draft.',
  {
    EMAIL_VERIFICATION: 'The token from the link that the network sent by email.',
    OTP: 'The one-time code that the network sent.',
  } satisfies Descriptions<typeof checkpointTypes>,
  { read: true },
);
