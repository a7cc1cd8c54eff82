/**
 * Cache hints: for how long the gateway may cache what it read, as Apollo Server has them in `@cacheControl`. A type says its hint
 * in `extensions`, beside its description, and a field may say another one. Without a hint nothing is cached, so the next type is
 * safe until somebody has thought about it.
 *
 * They do not stand in `schema.graphql`. A client could not cache a response for as long: the mutations of others do not
 * invalidate what is in its own cache.
 */

/** Seconds, or as long as what it is a part of. */
export type CacheHint = { readonly maxAge: number } | { readonly inheritMaxAge: true };

/** For `extensions` of what is read from somewhere. @param seconds `Infinity` for what does not change by itself */
export const maxAge = (seconds: number) => ({ cacheHint: { maxAge: seconds } });

/** For `extensions` of a type whose objects are parts of others, and are read with them. */
export const inheritMaxAge = { cacheHint: { inheritMaxAge: true } } as const;

/** The hint of a type or field; undefined without one. */
export const cacheHintOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }) =>
  // Nothing else writes this extension.
  extensions.cacheHint as CacheHint | undefined;
