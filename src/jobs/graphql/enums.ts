/** Enums of job postings. Those that only inputs have take no unknown word; those that answers have do. */
import { contractEnum } from '../../graphql/enums.ts';
import type {
  checkpointTypes,
  employmentStatuses,
  JobState,
  jobServices,
  payFrequencies,
  publishModes,
  seniorities,
  workplaces,
} from '../shapes.ts';

type Words<T extends readonly string[]> = Readonly<Record<T[number], string>>;

export const WorkplaceEnum = contractEnum('Workplace', 'Where the work is done.', {
  ON_SITE: 'At the place of the company.',
  HYBRID: 'Partly at the place of the company.',
  REMOTE: 'From anywhere.',
} satisfies Words<typeof workplaces>);

export const EmploymentStatusEnum = contractEnum('EmploymentStatus', 'The kind of employment.', {
  FULL_TIME: 'Full time.',
  PART_TIME: 'Part time.',
  CONTRACT: 'As a contractor.',
  TEMPORARY: 'For a limited time.',
  OTHER: 'Something else.',
  VOLUNTEER: 'Unpaid, as a volunteer.',
  INTERNSHIP: 'As an intern.',
} satisfies Words<typeof employmentStatuses>);

export const SeniorityEnum = contractEnum('Seniority', 'How senior the position is.', {
  INTERNSHIP: 'Internship.',
  ENTRY_LEVEL: 'Entry level.',
  ASSOCIATE: 'Associate.',
  MID_SENIOR_LEVEL: 'Mid to senior level.',
  DIRECTOR: 'Director.',
  EXECUTIVE: 'Executive.',
  NOT_APPLICABLE: 'Does not apply.',
} satisfies Words<typeof seniorities>);

export const PayFrequencyEnum = contractEnum('PayFrequency', 'What the amounts of a pay are paid for.', {
  YEARLY: 'For a year.',
  MONTHLY: 'For a month.',
  HOURLY: 'For an hour.',
} satisfies Words<typeof payFrequencies>);

export const JobServiceEnum = contractEnum('JobService', 'The service of the network that a job is published with.', {
  CLASSIC: 'The service that every member has.',
  RECRUITER: 'The service for recruiters.',
} satisfies Words<typeof jobServices>);

export const PublishModeEnum = contractEnum('PublishMode', 'How a job is listed.', {
  FREE: 'As a free listing. Not every draft is eligible.',
  PROMOTED: 'As a paid listing; with CLASSIC and RECRUITER.',
  PROMOTED_PLUS: 'As a paid listing with more reach; with CLASSIC only.',
} satisfies Words<typeof publishModes>);

export const JobStateEnum = contractEnum(
  'JobState',
  'The state of a job posting.',
  {
    active: 'Published and taking applications.',
    draft: 'Not published yet.',
    review: 'Published, and under review by the network.',
    closed: 'Closed: it can no longer be edited.',
    paused: 'Published, and taking no applications at the moment.',
  } satisfies Record<JobState, string>,
  { read: true },
);

export const CheckpointTypeEnum = contractEnum(
  'CheckpointType',
  'What the network asks for before it publishes.',
  {
    EMAIL_VERIFICATION: 'The token of a link that it has sent by e-mail.',
    OTP: 'A one-time code that it has sent.',
  } satisfies Words<typeof checkpointTypes>,
  { read: true },
);
