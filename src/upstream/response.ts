/** Reads an answer of the upstream: a value of the contract, or a failure. */
import { type ErrorFamily, type ErrorName, errorTable, ServiceError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Failure } from './failure.ts';
import type { EndpointNames } from './translation.ts';

export interface RawAnswer {
  readonly status: number;
  /** The `retry-after` header. */
  readonly retryAfter: string | undefined;
  /** Whether a rate limit of the caller refused the request, in the fields of draft-ietf-httpapi-ratelimit-headers. */
  readonly limited: boolean;
  readonly text: string;
}

type Json = Readonly<Record<string, unknown>>;

export function readAnswer(
  endpoint: Endpoint,
  names: EndpointNames,
  raw: RawAnswer,
  now: Date,
): { readonly value: Json } | Failure {
  const json = parseObject(raw.text);
  if (json === null) return unreadable(raw.status, 'is not a JSON object', now, raw.retryAfter);
  if (raw.status < 200 || raw.status > 299) return refused(endpoint, names, raw, json, now);
  names.read(json);
  if (endpoint.answers.includes(json.object as string)) return { value: json };
  return unreadable(raw.status, 'is of no kind that the contract has for it', now);
}

function parseObject(text: string): Json | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Json) : null;
  } catch {
    return null;
  }
}

/** An answer that is not the contract's. Its status is kept where it says that something failed. */
export function unreadable(status: number, what: string, now: Date, retryAfter?: string): Failure {
  const error = new ServiceError('provider_error', {
    detail: `The answer of the upstream service ${what}.`,
    ...(status >= 400 ? { status } : {}),
  });
  return { kind: 'answered', error, status, retryAfterMs: waitOf(retryAfter, now), instance: null };
}

function refused(endpoint: Endpoint, names: EndpointNames, raw: RawAnswer, json: Json, now: Date): Failure {
  // Another Postern says 503 for a request too many: it is about the caller, and not that the service is in trouble.
  const status = raw.limited ? 429 : raw.status;
  const { type, title, detail, instance } = json;
  const told = { status, retryAfterMs: waitOf(raw.retryAfter, now), instance: textOf(instance) ?? null };
  if (status === 429) {
    // The contract has no type for it, and names no rate limit: what it comes to is "later".
    const error = new ServiceError('service_unavailable', {
      detail: 'The upstream service takes no more requests for now. Try again later.',
      ...(told.retryAfterMs === null
        ? {}
        : { headers: { 'retry-after': String(Math.ceil(told.retryAfterMs / 1_000)) } }),
    });
    return { kind: 'answered', error, ...told };
  }
  const errorName = typeof type === 'string' && status >= 400 ? names.errorName(type) : undefined;
  if (errorName === undefined) {
    return { ...unreadable(status, 'is an error of no kind that the contract has', now), ...told };
  }
  const ownTitle = textOf(title);
  const ownDetail = textOf(detail);
  const error = new ServiceError(errorName, {
    status,
    ...(ownTitle === undefined ? {} : { title: ownTitle }),
    ...(ownDetail === undefined ? {} : { detail: ownDetail }),
    family: familyOf(errorName, endpoint),
  });
  return { kind: 'answered', error, ...told };
}

/**
 * Where an endpoint acts for no account, a credential that is refused is the API key (contract, "Errors", 401). An
 * account_mismatch is about the accounts that the request names, wherever it comes from.
 */
function familyOf(errorName: ErrorName, { refusesFor }: Endpoint): ErrorFamily {
  const { family } = errorTable[errorName];
  return family === 'account' && refusesFor === 'key' && errorName !== 'account_mismatch' ? 'key' : family;
}

/** Longest text of an envelope that is handed on, in UTF-16 code units. */
const maxText = 2_000;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxText) : undefined;

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). */
function waitOf(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now.getTime());
}
