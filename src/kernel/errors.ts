/** Errors of the contract, from one table. Only {@link fromUnknown} makes a {@link ServiceError} of another error. */
import type { IssueCode } from './issue-codes.ts';
import { temporaryStatuses } from './lib/http-semantics.ts';
import { keysOf } from './lib/objects.ts';

/** The subject of a failure. Mutations return those of `key` and `system` as top-level errors, others as data. */
export type ErrorFamily = 'request' | 'account' | 'object' | 'checkpoint' | 'key' | 'system';

/** Whether a failed command did nothing. An `Idempotency-Key` is given back after `nothing`, kept after `unknown`. */
type CommandOutcome = 'nothing' | 'unknown';

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

/** Errors of a system leave the outcome open, unless nobody took the request. */
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

  resource_not_found: row(404, 'object', 'Resource not found'),
  invalid_resource_identifier: row(404, 'object', 'Invalid resource identifier'),

  invalid_account: row(422, 'account', 'Invalid account'),
  unprocessable_entity: row(422, 'request', 'Unprocessable entity'),
  account_configuration_error: row(422, 'account', 'Account configuration error'),
  action_already_performed: row(422, 'object', 'Action already performed'),
  payment_error: row(422, 'object', 'Payment error'),
  insufficient_credits: row(422, 'object', 'Insufficient credits'),
  insufficient_job_slot: row(422, 'object', 'Insufficient job slot'),
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

/** The last segment of an error type: `resource_not_found` of `errors/resource_not_found`. */
export type ErrorName = keyof typeof errorTable;

export type ErrorType = `errors/${ErrorName}`;

export type ErrorCode = Uppercase<ErrorName>;

export const errorNames = keysOf(errorTable);

/** The path has the contract's names; the message continues it. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly code: IssueCode;
  readonly limit?: number | undefined;
  readonly message: string;
}

interface ErrorEnvelope {
  readonly title: string;
  readonly detail?: string;
  readonly instance: string;
  readonly type: ErrorType;
  readonly status: number;
}

interface ServiceErrorOptions {
  /** Callers see it: no secrets, no internal names. */
  readonly detail?: string;
  readonly issues?: readonly Issue[];
  readonly moreIssues?: number;
  /** Logged when the failure is unexpected, never shown to callers. */
  readonly cause?: unknown;
  /** Overrides the table's, for a failure that an upstream service reported. */
  readonly title?: string;
  /** In lower case, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Overrides the table's, where the endpoint decides. */
  readonly family?: ErrorFamily;
  /** What a network sent in the place of a value. */
  readonly value?: string | number | undefined;
  /** Whether a command may have been carried out all the same; by default as {@link failureOfCommand} decides. */
  readonly outcomeUnknown?: boolean | undefined;
}

/** Makes errors that are never logged: one response has thousands of refusals, and their stacks took longest. */
export function withoutStacks<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly errorName: ErrorName;
  /** The type's, whatever a service sent with it. */
  readonly status: number;
  readonly title: string;
  readonly detail: string | undefined;
  readonly issues: readonly Issue[];
  readonly moreIssues: number;
  readonly family: ErrorFamily;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly value: string | number | undefined;
  readonly outcomeUnknown: boolean | undefined;

  constructor(errorName: ErrorName, options: ServiceErrorOptions = {}) {
    const { detail, issues = [], moreIssues = 0, cause, title, family, headers = null } = options;
    const defaults: ErrorRow = errorTable[errorName];
    const { stackTraceLimit } = Error;
    if (defaults.status < 500) Error.stackTraceLimit = 0;
    super(detail ?? title ?? defaults.title, cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.errorName = errorName;
    this.status = defaults.status;
    this.title = title ?? defaults.title;
    this.detail = detail;
    this.issues = issues;
    this.moreIssues = moreIssues;
    this.family = family ?? defaults.family;
    this.headers = headers;
    this.value = options.value;
    this.outcomeUnknown = options.outcomeUnknown;
  }

  /** The same failure, but for the changes. */
  with(changes: ServiceErrorOptions): ServiceError {
    return new ServiceError(this.errorName, { ...this, cause: this.cause, ...changes });
  }

  get type(): ErrorType {
    return `errors/${this.errorName}`;
  }
}

/** An expired deadline becomes `errors/request_timeout`, any other error `errors/unexpected_error`, its cause. */
export function fromUnknown(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ServiceError('request_timeout', { detail: 'The request took too long. Try again.', cause: error });
  }
  return unexpectedError(error);
}

/** Whether the same request may succeed soon. */
export const isTemporary = ({ status }: ServiceError): boolean => temporaryStatuses.has(status);

export const mayHaveActed = ({ errorName, outcomeUnknown }: ServiceError): boolean =>
  outcomeUnknown ?? errorTable[errorName].outcome === 'unknown';

/** The failure of a command: sets `outcomeUnknown`, and says so in `detail`, where it may have been carried out. */
export function failureOfCommand(error: unknown): ServiceError {
  const failure = fromUnknown(error);
  const { detail } = failure;
  if (failure.outcomeUnknown !== undefined || !mayHaveActed(failure)) return failure;
  return failure.with({
    // Only commands without effect may be tried again.
    detail: `${detail?.replace(/ Try again\b[^.]*\.$/, '') ?? `${failure.title}.`}${outcomeIsUnknown}`,
    outcomeUnknown: true,
  });
}

const outcomeIsUnknown = ' The outcome is unknown: check it before you try again.';

/** Bytes, text or parameters that do not have the form which the interface asks for. */
export const malformedRequest = (detail: string): ServiceError => new ServiceError('malformed_request', { detail });

/** Headers of a refusal that passes by itself, in seconds. */
export const retrySoon = { 'retry-after': '5' } as const;

/** An error without details for callers. @param cause the original error, for the log */
export const unexpectedError = (cause: unknown): ServiceError =>
  new ServiceError('unexpected_error', {
    detail: 'The gateway failed. Contact support with the id of the request.',
    cause,
  });

/** @param instance the request id, as in the `x-request-id` header */
export function toEnvelope(error: ServiceError, instance: string): ErrorEnvelope {
  return {
    title: error.title,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    instance,
    type: error.type,
    status: error.status,
  };
}

/** A failure of the account's session, not of the call's posting: a network may verify an account at any time. */
export class SessionFailure extends ServiceError {}
