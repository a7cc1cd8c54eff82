import type { ErrorName } from '../kernel/errors.ts';

/** PHOTONET is an addition: the contract lists the photo network's posts without an account type that reads them. */
export const accountTypes = [
  'SEARCHMAIL',
  'SEARCHMAIL_CALENDAR',
  'CLOUDSYNC',
  'PNET',
  'MAIL',
  'MOBILE',
  'OFFICEMAIL',
  'MICROBLOG',
  'CHATAPP',
  'WORKCHAT',
  'MSGR',
  'PHOTONET',
] as const;
export type AccountType = (typeof accountTypes)[number];

/** Stored for a type or a status that a service has not told. GraphQL shows it as any word that it does not know. */
export const unknownWord = 'UNKNOWN';

interface AccountStatusRow {
  readonly description: string;
  readonly failure: { readonly errorName: ErrorName; readonly detail: string } | null;
}

/** Named as in account_status events. The contract names the failures (Authentication, 3 and 4), not statuses. */
export const accountStatuses = {
  OK: { description: 'Connected and ready to use.', failure: null },
  CONNECTING: {
    description: 'The connection is still being set up.',
    failure: { errorName: 'no_client_session', detail: 'The account is still connecting. Try again shortly.' },
  },
  CREDENTIALS: {
    description: 'The credentials have expired. Reconnect the account.',
    failure: { errorName: 'expired_credentials', detail: 'The credentials of the account have expired: reconnect it.' },
  },
  PERMISSIONS: {
    description: 'A required permission is missing. Reconnect the account and grant it.',
    failure: {
      errorName: 'insufficient_permissions',
      detail: 'The account lacks a permission: reconnect it and grant it.',
    },
  },
  RESTRICTED: {
    description: 'The network has restricted the account.',
    failure: { errorName: 'account_restricted', detail: 'The network has restricted the account.' },
  },
  STOPPED: {
    description: 'The account is disconnected. Reconnect it.',
    failure: { errorName: 'disconnected_account', detail: 'The account is disconnected: reconnect it.' },
  },
  ERROR: {
    description: 'The configuration of the account is faulty.',
    failure: {
      errorName: 'account_configuration_error',
      detail: 'The configuration of the account prevents the request: reconnect it or correct its settings.',
    },
  },
} as const satisfies Record<string, AccountStatusRow>;
export type AccountStatus = keyof typeof accountStatuses;
