/** Headers of all but static files: data of one caller, errors included, for no cache and no guessed content type. */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** No frames, no window handles for other sites, and no referrer: the address may contain a token. */
export const pageHeaders = (policy: string) => ({
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
});
