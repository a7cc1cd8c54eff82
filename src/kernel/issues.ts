/** Issues of an error. A request can have a million, with names as long as itself: the first are told, shortened. */
import { type ErrorName, type Issue, ServiceError } from './errors.ts';

/** Bounds of one error; bytes of JSON in UTF-8. */
export const issueLimits = {
  count: 50,
  /** The first issue is told even if it is larger. */
  bytes: 8_192,
  /** Longest echoed name, key or value. */
  echoedCharacters: 100,
  detailBytes: 2_048,
} as const;

/** @param max UTF-16 code units, before an ellipsis */
export function shortened(text: string, max: number = issueLimits.echoedCharacters): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  // Half of a surrogate pair is no character.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** The first ids, and the number of the others. */
export function shortList(ids: readonly string[]): string {
  const told = ids.slice(0, 10).map((id) => shortened(id));
  return told.join(', ') + (ids.length > told.length ? ` and ${ids.length - told.length} more` : '');
}

/** @param issues at least the first {@link issueLimits}.count of them. @param total the number of all */
export function withIssues(name: ErrorName, issues: readonly Issue[], total: number = issues.length): ServiceError {
  const short = issues.slice(0, issueLimits.count).map(({ path, code, limit, message }) => ({
    path: path.map((key) => (typeof key === 'string' ? shortened(key) : key)),
    code,
    limit,
    message,
  }));
  const told = firstWithin(issueLimits.bytes, short);
  const moreIssues = total - told.length;
  return new ServiceError(name, { detail: detailOf(told, moreIssues), issues: told, moreIssues });
}

/** An error for a broken rule that no shape can state. */
export const invalidParameters = (issues: readonly Issue[]): ServiceError => withIssues('invalid_parameters', issues);

/** The issues as one sentence. @param more the number of issues left out */
export function detailOf(issues: readonly Pick<Issue, 'path' | 'message'>[], more = 0): string {
  const sentences = issues.map(
    ({ path, message }) => `${path.length === 0 ? 'The request' : path.join('.')} ${message}`,
  );
  // Leaves room for the number of those left out.
  const told = firstWithin(issueLimits.detailBytes - 32, sentences);
  const left = more + sentences.length - told.length;
  return told.join('; ') + (left === 0 ? '' : `; and ${left} more`);
}

function firstWithin<T>(bytes: number, entries: readonly T[]): T[] {
  let left = bytes;
  const end = entries.findIndex((entry, index) => {
    left -= Buffer.byteLength(JSON.stringify(entry));
    return left < 0 && index > 0;
  });
  return end === -1 ? [...entries] : entries.slice(0, end);
}
