/**
 * Headers of every response that is not a static file. Responses contain data of one caller, errors included: no cache
 * may keep them, and no browser may guess another content type.
 */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/**
 * Headers of a page: no other site may frame it, or hold a handle of its window, and no request that it makes says the address,
 * which may contain a token.
 * @param policy the `content-security-policy`
 */
export const pageHeaders = (policy: string) => ({
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
});
