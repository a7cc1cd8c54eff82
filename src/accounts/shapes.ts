/** Connected accounts and the scopes of an API key: vocabularies, and what each account status means for a call. */
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

/** What an API key may do. A request outside its scopes is `errors/insufficient_privileges`. */
export const scopes = {
  'accounts:read': 'List the connected accounts.',
  'jobs:write': 'Edit and publish job postings, and read them back.',
  'posts:read': 'List posts.',
  'webhooks:read': 'List webhooks.',
  'webhooks:write': 'Create and delete webhooks, and read their secret parts.',
  'events:write': 'Emit account events.',
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as Scope[];

/** A connected account as callers see it. */
export interface Account {
  readonly account_id: string;
  readonly name: string | null;
  readonly type: AccountType;
  readonly status: AccountStatus;
}

/** Who makes a request: the API key, the workspace it belongs to and what it may do there. */
export interface Caller {
  readonly keyId: string;
  readonly keyName: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The accounts that the key is limited to; null where it may use every account of the workspace. */
  readonly accountIds: ReadonlySet<string> | null;
  readonly expiresAt: Date | null;
}
