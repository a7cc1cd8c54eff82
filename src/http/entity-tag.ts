/** Entity tags: the versions of what is served (RFC 9110, section 8.8.3). */
import { hash } from 'node:crypto';

/** The tag of a content. It is weak, as it is the same in every encoding. */
export const entityTag = (content: Uint8Array | string): string =>
  `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

/**
 * Whether an `if-none-match` header names a tag. The comparison is weak: nginx and others make a strong validator weak when
 * they compress.
 */
export const isKnown = (etag: string, header = ''): boolean =>
  header.trim() === '*' || header.split(',').some((each) => opaque(each.trim()) === opaque(etag));

const opaque = (etag: string): string => etag.replace(/^W\//, '');
