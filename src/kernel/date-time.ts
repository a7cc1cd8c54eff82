/**
 * Times as text. A DateTime is in the form of RFC 3339 and in UTC, with as much of a fraction as was sent, so that
 * whatever reads RFC 3339 reads it:
 *
 * | The text has | Example | The DateTime is |
 * |---|---|---|
 * | the form of RFC 3339, in UTC | `2026-01-31T09:30:00.5Z` | the text |
 * | an offset, up to ±23:59; `-00:00` is UTC | `2026-01-31T09:30:00+02:00` | `2026-01-31T07:30:00Z` |
 * | `t`, `z`, or a space for the `T` (RFC 3339, 5.6) | `2026-01-31 09:30:00z` | `2026-01-31T09:30:00Z` |
 * | ISO 8601's basic form of its date, time or offset | `20260131T093000+02` | `2026-01-31T07:30:00Z` |
 * | no seconds (ISO 8601) | `2026-01-31T09:30Z` | `2026-01-31T09:30:00Z` |
 * | a fraction of any length, behind a point | `2026-01-31T09:30:00.123456789Z` | the text |
 * | a leap second: the last of June or December in UTC | `2016-12-31T23:59:60Z` | `2017-01-01T00:00:00Z`, as in POSIX |
 * | the hour 24, or a day that its month does not have | `2026-02-30T00:00:00Z` | none |
 * | a time outside of the years 0000 to 9999 in UTC | `0000-01-01T00:00:00+01:00` | none |
 * | no zone, or any other form | `2026-01-31T09:30:00`, `yesterday 5` | none |
 *
 * Why not `Date.parse`: beside its own format, ECMAScript lets it take whatever an engine likes to.
 */
const form =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt ](\d\d)(:?)(\d\d)(?:\6(\d\d)(\.\d+)?)?(?:[Zz]|(?<sign>[+-])(\d\d)(?::?(\d\d))?)$/;

/** The length of what ECMAScript prints. */
const printedLength = '2026-01-31T09:30:00.000Z'.length;

/** @returns undefined for a text that stands for no time */
export function dateTimeOf(text: string): string | undefined {
  // Most times are as ECMAScript prints them, which takes a fraction of matching the form.
  const printed = text.length === printedLength ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(printed) && new Date(printed).toISOString() === text) return text;
  const match = form.exec(text);
  if (match === null) return undefined;
  const part = (group: number) => Number(match[group] ?? 0);
  const [month, day, hour, minute, second] = [part(3) - 1, part(4), part(5), part(7), part(8)] as const;
  const [offsetHour, offsetMinute] = [part(11), part(12)] as const;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;

  const time = new Date(0);
  time.setUTCFullYear(part(1), month, day);
  if (time.getUTCMonth() !== month || time.getUTCDate() !== day) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match.groups?.sign === '-' ? -1 : 1);
  time.setUTCHours(hour, minute - offset, second);
  const year = time.getUTCFullYear();
  if (year < 0 || year > 9_999) return undefined;
  const whole = time.toISOString().slice(0, -'.000Z'.length);
  if (second === 60 && !/-0[17]-01T00:00:00$/.test(whole)) return undefined;
  return `${whole}${match[9] ?? ''}Z`;
}

/** The first epoch millisecond that is not before a DateTime. */
export const firstMillisecondFrom = (dateTime: string): number =>
  Date.parse(dateTime) + Number(/\.\d{3}\d*[1-9]/.test(dateTime));
