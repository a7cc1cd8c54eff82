/** The contract's words for job postings, and our own orders, with the meanings that the schema shows. */
import { keysOf } from '../../kernel/lib/objects.ts';

export const meanings = {
  workplaces: {
    ON_SITE: 'At the workplace.',
    HYBRID: 'Partly at the workplace, partly remote.',
    REMOTE: 'Entirely remote.',
  },
  employmentStatuses: {
    FULL_TIME: 'Full-time.',
    PART_TIME: 'Part-time.',
    CONTRACT: 'Contract work.',
    TEMPORARY: 'For a limited period.',
    OTHER: 'Any other type of employment.',
    VOLUNTEER: 'Unpaid volunteer work.',
    INTERNSHIP: 'An internship.',
  },
  seniorities: {
    INTERNSHIP: 'Internship.',
    ENTRY_LEVEL: 'Entry level.',
    ASSOCIATE: 'Associate.',
    MID_SENIOR_LEVEL: 'Mid-senior level.',
    DIRECTOR: 'Director.',
    EXECUTIVE: 'Executive.',
    NOT_APPLICABLE: 'No seniority level applies.',
  },
  payFrequencies: {
    YEARLY: 'Per year.',
    MONTHLY: 'Per month.',
    HOURLY: 'Per hour.',
  },
  jobServices: {
    CLASSIC: 'The standard service, for every member.',
    RECRUITER: 'The recruiting service.',
  },
  publishModes: {
    FREE: 'A free listing. Not every draft is eligible.',
    PROMOTED: 'A paid listing.',
    PROMOTED_PLUS: 'A paid listing with a wider reach, with `CLASSIC` only.',
  },
  jobStates: {
    active: 'Published and open to applications.',
    draft: 'Not published yet.',
    review: 'Under review by the network.',
    closed: 'Closed to applications and edits.',
    paused: 'Published, but not open to applications now.',
  },
  checkpointTypes: {
    EMAIL_VERIFICATION: 'Token from the link that the network sent by email.',
    OTP: 'One-time code that the network sent.',
  },
  jobOrders: {
    created_at_desc: 'The newest first.',
    created_at_asc: 'The oldest first.',
    updated_at_desc: 'The last changed first.',
    updated_at_asc: 'The last changed last.',
  },
} as const;

export const workplaces = keysOf(meanings.workplaces);
export const employmentStatuses = keysOf(meanings.employmentStatuses);
export const seniorities = keysOf(meanings.seniorities);
export const payFrequencies = keysOf(meanings.payFrequencies);
export const jobServices = keysOf(meanings.jobServices);
export const publishModes = keysOf(meanings.publishModes);
export const jobStates = keysOf(meanings.jobStates);
export const checkpointTypes = keysOf(meanings.checkpointTypes);
export const jobOrders = keysOf(meanings.jobOrders);
