/** Largest request line and headers together, in bytes. */
export const maxHeadersLength = 16_384;

/** Largest header that is read, in characters: whatever it is matched with meets no more. */
export const maxHeaderLength = 2_048;

/** The headers of a request that are read. */
export const requestHeaders = [
  'accept',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'content-encoding',
  'content-type',
  'graphql-cost',
  'host',
  'idempotency-key',
  'if-none-match',
  'origin',
  'sec-fetch-site',
  'traceparent',
  'tracestate',
  'x-api-key',
  'x-forwarded-for',
  'x-request-id',
] as const;
