/** Enums of postings. Those that are read fall back to `UNRECOGNIZED`, which operations refuse. */
import { contractEnum } from '../../../graphql/kit/enums.ts';
import { meanings } from '../vocabulary.ts';

export const JobOrderEnum = contractEnum('PnetJobOrder', 'Order of a list of job postings.', meanings.jobOrders);

export const WorkplaceEnum = contractEnum('Workplace', 'Where the work takes place.', meanings.workplaces);

export const EmploymentStatusEnum = contractEnum(
  'EmploymentStatus',
  'Type of employment.',
  meanings.employmentStatuses,
);

export const SeniorityEnum = contractEnum('Seniority', 'Seniority of a position.', meanings.seniorities);

export const PayFrequencyEnum = contractEnum('PayFrequency', 'Period of a pay range.', meanings.payFrequencies);

export const JobServiceEnum = contractEnum('PnetJobService', 'Service that publishes a job.', meanings.jobServices);

export const PublishModeEnum = contractEnum('PublishMode', 'Free or paid listing.', meanings.publishModes);

export const JobStateEnum = contractEnum('PnetJobState', 'State of a job posting.', meanings.jobStates, { read: true });

export const CheckpointTypeEnum = contractEnum(
  'CheckpointType',
  'What the network asks for before publication.',
  meanings.checkpointTypes,
  { read: true },
);
