/** Reads a response of the upstream: a failure, or a success whose value is parsed on demand. */
import type { ContractEndpoint } from '../kernel/endpoint.ts';
import { type ErrorFamily, type ErrorName, errorTable, ServiceError } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import { parseRetryAfter } from '../kernel/lib/http-semantics.ts';
import { parseWellFormed } from '../kernel/lib/json-text.ts';
import { isObject } from '../kernel/lib/objects.ts';
import type { WireResponse } from '../kernel/request-context.ts';
import type { Body } from '../net/body-memory.ts';
import type { WholeResponse } from '../net/service-pool.ts';
import { maxDepth, maxValues } from '../splice/layout.ts';
import type { CallFailure } from './failure.ts';
import type { Translation } from './translation.ts';

/** Status 2xx, body not parsed. Its owner releases the body. */
export interface Success {
  readonly kind: 'success';
  readonly body: Body;
  /** The value in the contract's terms, of which `object` has been checked; or why there is none. */
  read(): Value | CallFailure;
}

interface Value {
  readonly kind: 'value';
  readonly value: object;
}

/**
 * @param now epoch milliseconds. @param told.redact takes secrets out of the texts of an error
 * @param told.subject of a command: the ids of its path, with their names
 */
export function readResponse(
  endpoint: ContractEndpoint,
  translation: Translation,
  response: WholeResponse,
  now: number,
  {
    redact = (text) => text,
    subject = () => '',
  }: { readonly redact?: (text: string) => string; readonly subject?: () => string } = {},
): Success | CallFailure {
  const { headers, body } = response;
  if (response.status >= 200 && response.status <= 299) {
    return { kind: 'success', body, read: () => parseValue(endpoint, translation, response, subject) };
  }
  const redacted = (text: unknown) => (typeof text === 'string' ? redact(text) : text);
  // Another Postern sends 503 for a request too many: it concerns the caller, not the service's health.
  const status = isLimited(response) ? 429 : response.status;
  const retryAfter = headers['retry-after'];
  const retryAfterMs = parseRetryAfter(typeof retryAfter === 'string' ? retryAfter : null, now);
  const json = parseObject(body.chunks);
  body.release();
  if (typeof json === 'string') return { ...unexpectedResponse(status, json), retryAfterMs };
  const shown = { ...json, title: redacted(json.title), detail: redacted(json.detail) };
  const { error, reported } = reportedError(endpoint, translation, { status, retryAfterMs }, shown);
  return {
    kind: 'response',
    error,
    reported,
    status,
    retryAfterMs,
    instance: reportedText(redacted(json.instance)) ?? null,
  };
}

/** By the fields of draft-ietf-httpapi-ratelimit-headers. */
const isLimited = ({ status, headers: { ratelimit } }: WholeResponse): boolean =>
  status === 503 && typeof ratelimit === 'string' && /;\s*r=0\b/.test(ratelimit);

function parseValue(
  { method }: ContractEndpoint,
  translation: Translation,
  { status, body }: WholeResponse,
  subject: () => string,
): Value | CallFailure {
  const json = parseObject(body.chunks);
  const known = (ids = '') => (method === 'GET' ? '' : ` (status ${status}${subject()}${ids})`);
  if (typeof json === 'string') return unexpectedResponse(status, `${json}${known()}`);
  translation.decode?.(json);
  return translation.objects.some((object) => object === json.object)
    ? { kind: 'value', value: json }
    : unexpectedResponse(status, `is of no kind that the contract has for it${known(idsIn(json))}`);
}

const [maxIds, maxIdLength] = [3, 255];

/** What is known of a command although its response is unreadable: ids that the response names. */
const idsIn = (json: JsonObject): string =>
  Object.entries(json)
    .filter(([key, value]) => isIdKey(key) && typeof value === 'string' && value.length <= maxIdLength)
    .slice(0, maxIds)
    .map(([key, value]) => `, ${key} ${value}`)
    .join('');

/** Parses once, for everyone who shares the response. */
export class ParsedOnDemand implements WireResponse {
  readonly #success: Success;
  readonly #report: (failure: CallFailure) => void;
  #outcome: object | ServiceError | undefined;

  /** @param report takes the failure, if there is no value */
  constructor(success: Success, report: (failure: CallFailure) => void) {
    this.#success = success;
    this.#report = report;
  }

  get body(): readonly Uint8Array[] {
    return this.#success.body.chunks;
  }

  retain(): void {
    this.#success.body.retain();
  }

  release(): void {
    this.#success.body.release();
  }

  value(): object {
    this.#outcome ??= this.#parse();
    if (this.#outcome instanceof ServiceError) throw this.#outcome;
    return this.#outcome;
  }

  #parse(): object | ServiceError {
    const result = this.#success.read();
    if (result.kind === 'value') return result.value;
    this.#report(result);
    return result.error;
  }
}

type JsonObject = Readonly<Record<string, unknown>>;

const isIdKey = (key: string): boolean => /^(?:\w+_)?(?:id|identifier|username)$/.test(key);

/** An id that a service sends as a number, which the contract has as text. */
const numericId = /"(?:\w+_)?(?:id|identifier|username)"\s*:\s*-?\d/;

const idAsText = (key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && isIdKey(key) ? source : value;

/** Invalid UTF-8 becomes replacement characters. */
const decoder = new TextDecoder();

const noJsonObject = 'is not a JSON object';

/** @returns a text that says what is wrong with an unreadable body */
function parseObject(body: readonly Uint8Array[]): JsonObject | string {
  try {
    const [first = new Uint8Array(), ...others] = body;
    const bytes = others.length === 0 ? first : Buffer.concat(body);
    if (isExcessive(bytes)) return `has more than ${maxDepth} levels or ${maxValues} values`;
    const text = decoder.decode(bytes);
    const parsed = parseWellFormed(text, numericId.test(text) ? idAsText : undefined);
    return isObject(parsed) ? parsed : noJsonObject;
  } catch {
    return noJsonObject;
  }
}

/** A response that is not the contract's; it keeps the status of an error. */
export function unexpectedResponse(status: number, what: string): CallFailure {
  const error = unreadableError(status, what);
  return { kind: 'response', error, reported: null, status, retryAfterMs: null, instance: null };
}

const unreadableError = (status: number, what: string) =>
  new ServiceError('provider_error', {
    detail: `The response of the upstream service ${what}.`,
    // A 503 of a proxy may stand for a connection that broke behind it.
    outcomeUnknown: status >= 400 && status < 500 ? false : undefined,
  });

function reportedError(
  endpoint: ContractEndpoint,
  translation: Translation,
  { status, retryAfterMs }: { readonly status: number; readonly retryAfterMs: number | null },
  { type, title, detail }: JsonObject,
): Pick<CallFailure, 'error' | 'reported'> {
  // The contract has no rate limit and no error type for one: to the caller it means "later".
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
  const error = new ServiceError(errorName, {
    title: reportedText(title),
    detail: reportedText(detail),
    family: familyOf(errorName, endpoint),
    ...retryAfter,
  });
  return { error, reported: errorName };
}

/**
 * At an endpoint that acts for no account, refused credentials are the API key's (contract, "Errors", 401).
 * account_mismatch concerns the accounts of the request, whatever the endpoint.
 */
function familyOf(errorName: ErrorName, { refusesFor }: ContractEndpoint): ErrorFamily {
  const { family } = errorTable[errorName];
  return family === 'account' && refusesFor === 'key' && errorName !== 'account_mismatch' ? 'key' : family;
}

/** Longest title, detail or instance that is passed on, in UTF-16 code units. */
const maxReportedText = 2_000;

const reportedText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? shortened(value, maxReportedText) : undefined;

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}` differ in one bit. */
const [open, close, bracketBits] = [0x5b, 0x5d, 0xdf];

/** Depth and values of a body, as in the kernel of splices: a page is refused whatever reads it. @param text not known to be JSON */
export function isExcessive(text: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) at = closingQuote(text, at);
    else if (byte === comma) values += 1;
    else if ((byte & bracketBits) === open) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return true;
    } else if ((byte & bracketBits) === close) depth -= 1;
    if (values > maxValues) return true;
  }
  return false;
}

/** Calling `indexOf` takes as long as looking at these, where most strings end and escapes follow each other. */
const nearby = 32;

/** Index of the closing quote, or the end of a text that is cut off. */
function closingQuote(text: Uint8Array, start: number): number {
  let at = start + 1;
  // Where one quote is escaped, as a rule there are more.
  for (let most = nearby; ; most *= 2) {
    for (const near = at + most; at < near; at += text[at] === backslash ? 2 : 1) {
      if (at >= text.length || text[at] === quote) return at;
    }
    // In a long string, `indexOf` finds the next quote, escaped or not.
    const end = text.indexOf(quote, at);
    if (end < 0) return text.length;
    let first = end;
    while (first > at && text[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    at = end + 1;
  }
}
