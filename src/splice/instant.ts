/** Where numbers of seconds end and those of milliseconds begin: in the year 5138, or in March 1973. */
const firstMilliseconds = 1e11;

/**
 * The time that a number since the Unix epoch stands for, as `YYYY-MM-DDTHH:MM:SS.fffZ`; undefined for one outside of the years
 * 0 to 9999. Seconds and milliseconds are told apart by their size, as services send both.
 */
export function instantOf(sinceEpoch: number): string | undefined {
  const time = new Date(Math.abs(sinceEpoch) < firstMilliseconds ? sinceEpoch * 1_000 : sinceEpoch);
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? time.toISOString() : undefined;
}
