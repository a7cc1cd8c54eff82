/** RFC 9110, section 8.8.3. */
import { hash } from 'node:crypto';

/** Weak: the same in every encoding. */
export const entityTag = (content: Uint8Array | string): string =>
  `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`;

/** Compares weakly: nginx and others weaken a strong validator when they compress. */
export const isKnown = (etag: string, header = ''): boolean =>
  header.trim() === '*' || header.split(',').some((each) => opaque(each.trim()) === opaque(etag));

const opaque = (etag: string): string => etag.replace(/^W\//, '');
