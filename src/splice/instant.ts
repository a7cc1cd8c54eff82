/** Smaller numbers are seconds: the boundary is the year 5138, or March 1973 in milliseconds. */
const firstMilliseconds = 1e11;

/** Undefined outside of the years 0 to 9999. Services send seconds or milliseconds, told apart by size. */
export function instantOf(sinceEpoch: number): string | undefined {
  const time = new Date(Math.abs(sinceEpoch) < firstMilliseconds ? sinceEpoch * 1_000 : sinceEpoch);
  const year = time.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? time.toISOString() : undefined;
}
