/**
 * Cache hints as in Apollo Server's `@cacheControl`: how long a response may be kept. A type has one in `extensions`, a
 * field may override it. Without a hint nothing is cached, so a new type is safe.
 *
 * They are not printed: other callers' mutations do not invalidate a client's own cache.
 */

/** Seconds, or as long as the parent. */
export type CacheHint = { readonly maxAge: number } | { readonly inheritMaxAge: true };

/** For `extensions`. @param seconds `Infinity` for values that do not change by themselves */
export const maxAge = (seconds: number) => ({ cacheHint: { maxAge: seconds } });

/** For `extensions` of a type whose objects are read with their parents. */
export const inheritMaxAge = { cacheHint: { inheritMaxAge: true } } as const;

export const cacheHintOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }) =>
  extensions.cacheHint as CacheHint | undefined;
