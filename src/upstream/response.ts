/** Reads a response of the upstream: a success, whose value is read when it is wanted, or a failure. */
import { type ContractEndpoint, constantsOf } from '../kernel/endpoint.ts';
import { type ErrorFamily, type ErrorName, errorTable, ServiceError } from '../kernel/errors.ts';
import { parseRetryAfter } from '../kernel/lib/http-semantics.ts';
import type { WireResponse } from '../kernel/wire-response.ts';
import type { WholeResponse } from '../net/service-pool.ts';
import { maxDepth, maxValues } from '../splice/layout.ts';
import { isExcessive } from './body-limits.ts';
import type { Failure } from './failure.ts';
import type { Translation } from './translation.ts';

/** A response with a status of 2xx. Nobody has looked into its body yet. */
export interface Success {
  readonly kind: 'success';
  readonly body: readonly Uint8Array[];
  /** Its value in the contract's terms, with its `object` checked and nothing else; or why there is none. */
  read(): Value | Failure;
}

/** A JSON object of one of the kinds that the endpoint's response has. */
export interface Value {
  readonly kind: 'value';
  readonly value: object;
}

/**
 * @param now epoch milliseconds
 * @param redact takes secrets out of the texts of an error
 */
export function readResponse(
  endpoint: ContractEndpoint,
  translation: Translation,
  response: WholeResponse,
  now: number,
  redact: (text: string) => string = (text) => text,
): Success | Failure {
  const { headers, body } = response;
  if (response.status >= 200 && response.status <= 299) {
    return { kind: 'success', body, read: () => readValue(endpoint, translation, response) };
  }
  const redacted = (text: unknown) => (typeof text === 'string' ? redact(text) : text);
  // Another Postern says 503 for a request too many: it is about the caller, and not that the service is in trouble.
  const status = isLimited(response) ? 429 : response.status;
  const retryAfter = headers['retry-after'];
  const retryAfterMs = parseRetryAfter(typeof retryAfter === 'string' ? retryAfter : null, now);
  const json = parseObject(body);
  if (typeof json === 'string') return { ...unreadable(status, json), retryAfterMs };
  const shown = { ...json, title: redacted(json.title), detail: redacted(json.detail) };
  const { error, reported } = reportedError(endpoint, translation, { status, retryAfterMs }, shown);
  return {
    kind: 'response',
    error,
    reported,
    status,
    retryAfterMs,
    instance: textOf(redacted(json.instance)) ?? null,
  };
}

/** Whether a rate limit of the caller refused the request, in the fields of draft-ietf-httpapi-ratelimit-headers. */
const isLimited = ({ status, headers: { ratelimit } }: WholeResponse): boolean =>
  status === 503 && typeof ratelimit === 'string' && /;\s*r=0\b/.test(ratelimit);

function readValue(
  endpoint: ContractEndpoint,
  translation: Translation,
  { status, body }: WholeResponse,
): Value | Failure {
  const json = parseObject(body);
  if (typeof json === 'string') return unreadable(status, json);
  translation.decode?.(json);
  return constantsOf(endpoint.response, 'object').some((object) => object === json.object)
    ? { kind: 'value', value: json }
    : unreadable(status, 'is of no kind that the contract has for it');
}

/**
 * A response whose value is read once, for everyone who shares it.
 * @param report takes the failure, if there is no value
 */
export function onDemand({ body, read }: Success, report: (failure: Failure) => void): WireResponse {
  let outcome: object | ServiceError | undefined;
  const take = (): object | ServiceError => {
    const result = read();
    if (result.kind === 'value') return result.value;
    report(result);
    return result.error;
  };
  return {
    body,
    value() {
      outcome ??= take();
      if (outcome instanceof ServiceError) throw outcome;
      return outcome;
    },
  };
}

interface JsonObject {
  readonly [name: string]: unknown;
}

/** Bytes that are no UTF-8 become replacement characters. */
const utf8 = new TextDecoder();

const notAnObject = 'is not a JSON object';

/** @returns what is wrong with a body that is none */
function parseObject(body: readonly Uint8Array[]): JsonObject | string {
  try {
    const [first = new Uint8Array(), ...others] = body;
    const bytes = others.length === 0 ? first : Buffer.concat(body);
    if (isExcessive(bytes)) return `has more than ${maxDepth} levels or ${maxValues} values`;
    const parsed: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(parsed) ? parsed : notAnObject;
  } catch {
    return notAnObject;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A response that is not the contract's. Its status is kept if it is that of an error. */
export function unreadable(status: number, what: string): Failure {
  const error = unreadableError(status, what);
  return { kind: 'response', error, reported: null, status, retryAfterMs: null, instance: null };
}

const unreadableError = (status: number, what: string) =>
  new ServiceError('provider_error', {
    detail: `The response of the upstream service ${what}.`,
    ...(status >= 400 ? { status } : {}),
    // A 503 of a proxy may stand for a connection that broke behind it.
    outcomeUnknown: status >= 400 && status < 500 ? false : undefined,
  });

/** The error that the service reports, and its type as the service says it. */
function reportedError(
  endpoint: ContractEndpoint,
  translation: Translation,
  { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs: number | null },
  { type, title, detail }: JsonObject,
): Pick<Failure, 'error' | 'reported'> {
  // The contract has neither a rate limit nor an error type for one: to the caller it means "later".
  const retryAfter =
    retryAfterMs === null ? {} : { headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) } };
  if (status === 429) {
    const error = new ServiceError('service_unavailable', {
      ...retryAfter,
      detail: 'The upstream service accepts no more requests for now. Try again later.',
    });
    return { error, reported: null };
  }
  const errorName = typeof type === 'string' && status >= 400 ? translation.errorName(type) : undefined;
  if (errorName === undefined) {
    return { error: unreadableError(status, 'is an error of no type that the contract has'), reported: null };
  }
  const theirTitle = textOf(title);
  const theirDetail = textOf(detail);
  const error = new ServiceError(errorName, {
    status,
    ...(theirTitle === undefined ? {} : { title: theirTitle }),
    ...(theirDetail === undefined ? {} : { detail: theirDetail }),
    family: familyOf(errorName, endpoint),
    ...retryAfter,
  });
  return { error, reported: errorName };
}

/**
 * Where an endpoint acts for no account, a refused credential is the API key (contract, "Errors", 401). An
 * account_mismatch is about the accounts that the request names, whatever the endpoint.
 */
function familyOf(errorName: ErrorName, { refusesFor }: ContractEndpoint): ErrorFamily {
  const { family } = errorTable[errorName];
  return family === 'account' && refusesFor === 'key' && errorName !== 'account_mismatch' ? 'key' : family;
}

/** The longest title, detail or instance that is passed on, in UTF-16 code units. */
const maxText = 2_000;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxText) : undefined;
