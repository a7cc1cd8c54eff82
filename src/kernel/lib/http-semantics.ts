/** Rules of HTTP for outgoing requests. */

/** "Not now" (RFC 6585, section 4; RFC 9110, sections 15.6.3 to 15.6.5). */
export const temporaryStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** RFC 9110, section 5.6.7: the format to send, and two obsolete ones that recipients must accept. */
const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const rfc850Date = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const asctimeDate = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** `Retry-After` (RFC 9110, section 10.2.3) as milliseconds from `now`, at least 0; null without a valid value. */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  // Ten digits are three centuries: more are a mistake.
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const date = parseDate(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Date.parse alone also takes `1.5` and `2026-11-20` for dates. @returns epoch milliseconds, or NaN */
function parseDate(text: string): number {
  if (imfFixdate.test(text) || rfc850Date.test(text)) return Date.parse(text);
  return asctimeDate.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
}
