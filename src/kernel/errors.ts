/**
 * The errors of the contract (its "Errors" part): one table from which types, statuses, titles, the GraphQL error
 * types and the tests derive. Callers only ever see a {@link ServiceError}; {@link fromUnknown} is the one place that
 * turns any other error into one.
 */
import { keysOf } from './lib/keys-of.ts';

/**
 * What a failure is about. It decides how a GraphQL mutation reports the failure: as data (and as which type) or as a
 * top-level error. Failures of the families `key` and `system` are always top-level errors.
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

/**
 * What the error of a command says about the command: that nothing happened, so that it can be sent again, or nothing
 * that is certain. An `Idempotency-Key` is given back after the one and kept after the other.
 */
export type CommandOutcome = 'nothing' | 'unknown';

interface ErrorRow {
  readonly status: number;
  readonly title: string;
  readonly family: ErrorFamily;
  readonly outcome: CommandOutcome;
}

const row = (
  status: number,
  family: ErrorFamily,
  title: string,
  outcome: CommandOutcome = family === 'system' ? 'unknown' : 'nothing',
): ErrorRow => ({ status, family, title, outcome });

/** An error of a system leaves the outcome open, unless it says that nobody has taken the request. */
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

  no_client_session: row(503, 'system', 'No client session', 'nothing'),
  no_channel: row(503, 'system', 'No channel', 'nothing'),
  no_handler: row(503, 'system', 'No handler', 'nothing'),
  network_down: row(503, 'system', 'Network down'),
  service_unavailable: row(503, 'system', 'Service unavailable', 'nothing'),

  request_timeout: row(504, 'system', 'Request timeout'),
} as const satisfies Record<string, ErrorRow>;

/** The last segment of an error type, such as `resource_not_found` in `errors/resource_not_found`. */
export type ErrorName = keyof typeof errorTable;

/** The value of `type` in an error envelope. */
export type ErrorType = `errors/${ErrorName}`;

/** The type of an error as a name of a closed vocabulary: `RESOURCE_NOT_FOUND` for `errors/resource_not_found`. */
export type ErrorCode = Uppercase<ErrorName>;

/** Every error name. `Object.keys` types keys as text, because objects can have more of them than their types say. */
export const errorNames = keysOf(errorTable);

/** One problem with a request: the path of the field, in the contract's names, and a message that follows that path. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The body of every error response of the REST endpoints (contract, "Errors"). */
export interface ErrorEnvelope {
  readonly title: string;
  readonly detail?: string;
  readonly instance: string;
  readonly type: ErrorType;
  readonly status: number;
}

interface ServiceErrorOptions {
  /** An explanation for a person. Callers see it, so it never contains a secret or an internal name. */
  readonly detail?: string;
  /** The problems of the request, field by field. */
  readonly issues?: readonly Issue[];
  /** How many problems there are beyond `issues`. */
  readonly moreIssues?: number;
  /** The underlying error. It is logged when the failure is unexpected, and never shown to callers. */
  readonly cause?: unknown;
  /** Overrides the status of the table, for a failure that an upstream service reported. */
  readonly status?: number;
  /** Overrides the title of the table, for a failure that an upstream service reported. */
  readonly title?: string;
  /** Headers of the response, in lower case, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides the family of the table, where the endpoint decides what its failures are about. */
  readonly family?: ErrorFamily;
  /**
   * Whether a command may have been carried out all the same, so that it must not be repeated without a look; `detail`
   * says so. Without it, the table decides: see {@link failureOfCommand}.
   */
  readonly outcomeUnknown?: boolean | undefined;
}

/** A failure in the contract's terms: the only error that ports, faces and adapters throw on purpose. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly errorName: ErrorName;
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly issues: readonly Issue[];
  readonly moreIssues: number;
  readonly family: ErrorFamily;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly outcomeUnknown: boolean | undefined;

  constructor(errorName: ErrorName, options: ServiceErrorOptions = {}) {
    const { detail, issues = [], moreIssues = 0, cause, status, title, family, headers = null } = options;
    const defaults: ErrorRow = errorTable[errorName];
    super(detail ?? title ?? defaults.title, cause === undefined ? undefined : { cause });
    this.errorName = errorName;
    this.status = status ?? defaults.status;
    this.title = title ?? defaults.title;
    this.detail = detail;
    this.issues = issues;
    this.moreIssues = moreIssues;
    this.family = family ?? defaults.family;
    this.headers = headers;
    this.outcomeUnknown = options.outcomeUnknown;
  }

  get type(): ErrorType {
    return `errors/${this.errorName}`;
  }
}

/**
 * Turns any error into a ServiceError. An expired deadline becomes `errors/request_timeout` and anything else unknown
 * `errors/unexpected_error`, with the original error as its cause for the log.
 */
export function fromUnknown(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ServiceError('request_timeout', { detail: 'The request took too long. Try again.', cause: error });
  }
  return unexpectedError(error);
}

/** Whether a command that failed with this may have been carried out all the same. */
export const mayHaveActed = ({ errorName, outcomeUnknown }: ServiceError): boolean =>
  outcomeUnknown ?? errorTable[errorName].outcome === 'unknown';

/**
 * The failure of a command, which says whether the command may have been carried out: `outcomeUnknown` is set where it
 * may, and `detail` says so.
 */
export function failureOfCommand(error: unknown): ServiceError {
  const failure = fromUnknown(error);
  const { errorName, detail, headers } = failure;
  if (failure.outcomeUnknown !== undefined || !mayHaveActed(failure)) return failure;
  return new ServiceError(errorName, {
    ...failure,
    headers: headers ?? {},
    // What it offers to try again, a command must not be.
    detail: `${detail?.replace(/ Try again\b[^.]*\.$/, '') ?? `${failure.title}.`}${outcomeIsUnknown}`,
    cause: failure.cause,
    outcomeUnknown: true,
  });
}

/** What the caller of a command must know whose result never arrived. */
export const outcomeIsUnknown = ' The outcome is unknown: check it before you try again.';

/** The error of a failure that callers cannot be told more about. @param cause the original error, for the log */
export const unexpectedError = (cause: unknown): ServiceError =>
  new ServiceError('unexpected_error', {
    detail: 'Something went wrong on our side. Contact support with the value of instance.',
    cause,
  });

/**
 * What a service that speaks only the contract cannot serve.
 * @param action as in "offers no way to …"
 */
export const notOffered = (action: string): ServiceError =>
  new ServiceError('feature_not_subscribed', {
    detail: `This gateway runs in front of another service, which offers no way to ${action}.`,
  });

/**
 * The contract's envelope for an error.
 * @param instance the request id, as in the `x-request-id` header
 */
export function toEnvelope(error: ServiceError, instance: string): ErrorEnvelope {
  return {
    title: error.title,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    instance,
    type: error.type,
    status: error.status,
  };
}
