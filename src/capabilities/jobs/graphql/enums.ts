/** Enums of postings. Those that are read fall back to `UNRECOGNIZED`, which operations refuse. */
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { meanings } from '../vocabulary.ts';

export const JobOrderEnum = contractEnum('JobOrder', 'Order of a list of job postings.', meanings.jobOrders);

export const WorkplaceEnum = contractEnum('Workplace', 'Where the work takes place.', meanings.workplaces);

export const EmploymentStatusEnum = contractEnum(
  'EmploymentStatus',
  'The type of employment.',
  meanings.employmentStatuses,
);

export const SeniorityEnum = contractEnum('Seniority', 'The seniority level of a position.', meanings.seniorities);

export const PayFrequencyEnum = contractEnum(
  'PayFrequency',
  'The period that a pay range refers to.',
  meanings.payFrequencies,
);

export const JobServiceEnum = contractEnum(
  'JobService',
  'The service of the network that publishes a job.',
  meanings.jobServices,
);

export const PublishModeEnum = contractEnum(
  'PublishMode',
  'How a job is listed: free of charge or paid.',
  meanings.publishModes,
);

export const JobStateEnum = contractEnum('JobState', 'The state of a job posting.', meanings.jobStates, { read: true });

export const CheckpointTypeEnum = contractEnum(
  'CheckpointType',
  'What the network asks for before it publishes a draft.',
  meanings.checkpointTypes,
  { read: true },
);
