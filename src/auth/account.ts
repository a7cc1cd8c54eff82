/** The connected account that a call acts for: its types, and what each status means for a call. */
import type { ErrorName } from '../errors.ts';

/**
 * Account type values of the contract. PHOTONET is an addition: the contract lists posts of the photo network but has
 * no type for the account that reads them.
 */
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

interface AccountStatusRow {
  readonly description: string;
  /** The failure of a call made from an account in this status; null where it can be used. */
  readonly failure: { readonly errorName: ErrorName; readonly detail: string } | null;
}

/**
 * The status of a connected account, in the words of the contract's account_status events where it has one. The
 * contract names the failures (Authentication, 3 and 4) but not the statuses.
 */
export const accountStatuses = {
  OK: { description: 'Connected: calls can be made from it.', failure: null },
  CONNECTING: {
    description: 'Still being connected.',
    failure: { errorName: 'no_client_session', detail: 'The account is still connecting. Try again shortly.' },
  },
  CREDENTIALS: {
    description: 'Its credentials have expired: reconnect it.',
    failure: { errorName: 'expired_credentials', detail: 'The credentials of the account have expired: reconnect it.' },
  },
  PERMISSIONS: {
    description: 'It lacks a permission that it needs: reconnect it and grant the permission.',
    failure: {
      errorName: 'insufficient_permissions',
      detail: 'The account lacks a permission: reconnect it and grant it.',
    },
  },
  RESTRICTED: {
    description: 'The network has restricted it.',
    failure: { errorName: 'account_restricted', detail: 'The network has restricted the account.' },
  },
  STOPPED: {
    description: 'Disconnected: reconnect it.',
    failure: { errorName: 'disconnected_account', detail: 'The account is disconnected: reconnect it.' },
  },
  ERROR: {
    description: 'Its configuration is at fault.',
    failure: {
      errorName: 'account_configuration_error',
      detail: 'The configuration of the account prevents the request: reconnect it or mend its settings.',
    },
  },
} as const satisfies Record<string, AccountStatusRow>;
export type AccountStatus = keyof typeof accountStatuses;
