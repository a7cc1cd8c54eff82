/**
 * Headers of every response that is not a static file. Responses contain data of one caller, errors included: no cache
 * may keep them, and no browser may guess another content type.
 */
export const privateHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
