/**
 * What an error says about the invalid fields of a request. A request can have a million of them, and names as long as
 * itself: an error tells the first, shortened, and says how many more there are.
 */
import { type ErrorName, type Issue, ServiceError } from './errors.ts';

/** What one error says at most. Bytes are those of JSON in UTF-8. */
export const issueLimits = {
  count: 50,
  /** The first issue is told even if it is larger. */
  bytes: 8_192,
  /** Of a name, a key or a value that the request contained. */
  echoedCharacters: 100,
  detailBytes: 2_048,
} as const;

/** The text, with an ellipsis for what is beyond `max` characters (UTF-16 code units). */
export function shortened(text: string, max: number = issueLimits.echoedCharacters): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  // Half of a surrogate pair is no character.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** The first ids of a list as an error names them, and how many more there are. */
export function shortList(ids: readonly string[]): string {
  const told = ids.slice(0, 10).map((id) => shortened(id));
  return told.join(', ') + (ids.length > told.length ? ` and ${ids.length - told.length} more` : '');
}

/**
 * The error of an invalid request.
 * @param issues the first issues; at least {@link issueLimits}.count of them, or all
 * @param total how many there are
 */
export function withIssues(name: ErrorName, issues: readonly Issue[], total: number = issues.length): ServiceError {
  const short = issues.slice(0, issueLimits.count).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'string' ? shortened(key) : key)),
    message,
  }));
  const told = firstWithin(issueLimits.bytes, short);
  const moreIssues = total - told.length;
  return new ServiceError(name, { detail: detailOf(told, moreIssues), issues: told, moreIssues });
}

/** The error of a request that has the right shape but breaks a rule that no shape can state. */
export const invalidParameters = (issues: readonly Issue[]): ServiceError => withIssues('invalid_parameters', issues);

/** The issues as one sentence: each invalid field, and what is wrong with it. @param more how many are not among them */
export function detailOf(issues: readonly Issue[], more = 0): string {
  const sentences = issues.map(
    ({ path, message }) => `${path.length === 0 ? 'The request' : path.join('.')} ${message}`,
  );
  // Leaves room for the number of those that are left out.
  const told = firstWithin(issueLimits.detailBytes - 32, sentences);
  const left = more + sentences.length - told.length;
  return told.join('; ') + (left === 0 ? '' : `; and ${left} more`);
}

/** As many of the first entries as have room; always the first one. */
function firstWithin<T>(bytes: number, entries: readonly T[]): T[] {
  let left = bytes;
  const end = entries.findIndex((entry, index) => {
    left -= Buffer.byteLength(JSON.stringify(entry));
    return left < 0 && index > 0;
  });
  return end === -1 ? [...entries] : entries.slice(0, end);
}
