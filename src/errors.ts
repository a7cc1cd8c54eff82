/**
 * The errors of the contract (its "Errors" part): one table from which types, statuses, titles, the GraphQL error
 * types and the tests derive. A failure that a caller may see is always a {@link ServiceError}; what is not becomes one
 * in {@link fromUnknown} and nowhere else.
 */

/**
 * What a failure is about. GraphQL derives from it whether a mutation answers the failure as data (and as which type)
 * or as a top-level error: `key` and `system` failures are never data.
 */
export type ErrorFamily =
  | 'request'
  | 'not_found'
  | 'account'
  | 'checkpoint'
  | 'payment'
  | 'performed'
  | 'key'
  | 'system';

interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly family: ErrorFamily;
}

const row = (status: number, family: ErrorFamily, title: string): ErrorRow => ({ status, family, title });

export const errorTable = {
  invalid_parameters: row(400, 'request', 'Invalid parameters'),
  malformed_request: row(400, 'request', 'Malformed request'),
  content_too_large: row(400, 'request', 'Content too large'),
  invalid_url: row(400, 'request', 'Invalid URL'),
  too_many_characters: row(400, 'request', 'Too many characters'),
  unescaped_characters: row(400, 'request', 'Unescaped characters'),
  missing_parameters: row(400, 'request', 'Missing parameters'),
  limit_too_high: row(400, 'request', 'Limit too high'),

  missing_credentials: row(401, 'key', 'Missing credentials'),
  multiple_sessions: row(401, 'account', 'Multiple sessions'),
  wrong_account: row(401, 'account', 'Wrong account'),
  invalid_credentials: row(401, 'account', 'Invalid credentials'),
  invalid_proxy_credentials: row(401, 'account', 'Invalid proxy credentials'),
  invalid_checkpoint_solution: row(401, 'checkpoint', 'Invalid checkpoint solution'),
  checkpoint_error: row(401, 'checkpoint', 'Checkpoint error'),
  expired_credentials: row(401, 'account', 'Expired credentials'),
  expired_link: row(401, 'checkpoint', 'Expired link'),
  insufficient_privileges: row(401, 'key', 'Insufficient privileges'),
  disconnected_account: row(401, 'account', 'Disconnected account'),
  disconnected_feature: row(401, 'account', 'Disconnected feature'),
  invalid_credentials_but_valid_account_imap: row(401, 'account', 'Invalid IMAP credentials, valid account'),

  insufficient_permissions: row(403, 'account', 'Insufficient permissions'),
  account_restricted: row(403, 'account', 'Account restricted'),
  account_mismatch: row(403, 'account', 'Account mismatch'),
  unknown_authentication_context: row(403, 'account', 'Unknown authentication context'),
  session_mismatch: row(403, 'account', 'Session mismatch'),
  feature_not_subscribed: row(403, 'account', 'Feature not subscribed'),
  subscription_required: row(403, 'account', 'Subscription required'),
  resource_access_restricted: row(403, 'account', 'Resource access restricted'),
  action_required: row(403, 'account', 'Action required'),

  resource_not_found: row(404, 'not_found', 'Resource not found'),
  invalid_resource_identifier: row(404, 'not_found', 'Invalid resource identifier'),

  invalid_account: row(422, 'account', 'Invalid account'),
  unprocessable_entity: row(422, 'request', 'Unprocessable entity'),
  account_configuration_error: row(422, 'account', 'Account configuration error'),
  action_already_performed: row(422, 'performed', 'Action already performed'),
  payment_error: row(422, 'payment', 'Payment error'),
  insufficient_credits: row(422, 'payment', 'Insufficient credits'),
  insufficient_job_slot: row(422, 'payment', 'Insufficient job slot'),
  invalid_recipient: row(422, 'request', 'Invalid recipient'),
  user_unreachable: row(422, 'request', 'User unreachable'),
  provider_unreachable: row(422, 'system', 'Provider unreachable'),

  unexpected_error: row(500, 'system', 'Unexpected error'),
  provider_error: row(500, 'system', 'Provider error'),
  authentication_intent_error: row(500, 'system', 'Authentication intent error'),

  no_client_session: row(503, 'system', 'No client session'),
  no_channel: row(503, 'system', 'No channel'),
  no_handler: row(503, 'system', 'No handler'),
  network_down: row(503, 'system', 'Network down'),
  service_unavailable: row(503, 'system', 'Service unavailable'),

  request_timeout: row(504, 'system', 'Request timeout'),
} as const satisfies Record<string, ErrorRow>;

/** The last segment of an error type: `resource_not_found` of `errors/resource_not_found`. */
export type ErrorName = keyof typeof errorTable;

/** The contract's error type identifier, as it stands in `type`. */
export type ErrorType = `errors/${ErrorName}`;

export const errorNames = Object.keys(errorTable) as ErrorName[];

/** One thing that is wrong with a request: where, in the words of the contract, and what. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The body of every error answer of the REST endpoints (contract, "Errors"). */
export interface ErrorEnvelope {
  readonly title: string;
  readonly detail?: string;
  readonly instance: string;
  readonly type: string;
  readonly status: number;
}

interface ServiceErrorOptions {
  /** Explanation for a person. It is shown to callers: it never holds a secret or an internal name. */
  readonly detail?: string;
  /** What is wrong with the request, field by field. */
  readonly issues?: readonly Issue[];
  /** What caused it; logged where the failure is unexpected, never shown. */
  readonly cause?: unknown;
  /** Overrides the table's status; only a failure reported by an upstream service needs it. */
  readonly status?: number;
  /** Overrides the table's title; only a failure reported by an upstream service needs it. */
  readonly title?: string;
  /** Overrides the table's family, where the endpoint says what its failures are about. */
  readonly family?: ErrorFamily;
}

/** A failure in the contract's terms. Everything that a port, a face or an adapter throws on purpose is one. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly errorName: ErrorName;
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly issues: readonly Issue[];
  readonly family: ErrorFamily;

  constructor(errorName: ErrorName, { detail, issues = [], cause, status, title, family }: ServiceErrorOptions = {}) {
    const usual: ErrorRow = errorTable[errorName];
    super(detail ?? title ?? usual.title, cause === undefined ? undefined : { cause });
    this.errorName = errorName;
    this.status = status ?? usual.status;
    this.title = title ?? usual.title;
    this.detail = detail;
    this.issues = issues;
    this.family = family ?? usual.family;
  }

  get type(): ErrorType {
    return `errors/${this.errorName}`;
  }
}

/**
 * The one place where an unknown failure becomes a known one. A deadline that ran out is `errors/request_timeout`;
 * anything else that is not a ServiceError is `errors/unexpected_error`, with the original as its cause for the log.
 */
export function fromUnknown(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ServiceError('request_timeout', { detail: 'The request ran out of time. Try again.', cause: error });
  }
  return new ServiceError('unexpected_error', {
    detail: 'Something went wrong on our side. Give the instance to support.',
    cause: error,
  });
}

/** The envelope of the contract. `instance` is the id of the request, as in the `x-request-id` header. */
export function toEnvelope(error: ServiceError, instance: string): ErrorEnvelope {
  return {
    title: error.title,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    instance,
    type: error.type,
    status: error.status,
  };
}
