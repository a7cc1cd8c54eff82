/** The codes for which a subscription may be refused today and not tomorrow. Another refusal is an error of the page. */
export const passing: ReadonlySet<string> = new Set([
  'EXPIRED_CREDENTIALS',
  'INVALID_CREDENTIALS',
  'MISSING_CREDENTIALS',
  'INSUFFICIENT_PRIVILEGES',
  'SERVICE_UNAVAILABLE',
  'REQUEST_TIMEOUT',
  'UNEXPECTED_ERROR',
]);
