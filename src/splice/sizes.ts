import { blockBytes } from './layout.ts';

/** @returns an address for records, at or behind this one; or a size, rounded up to whole blocks */
export const aligned = (bytes: number): number => Math.ceil(bytes / blockBytes) * blockBytes;

/** The most bytes of UTF-8 that a text may have. */
export const mostUtf8Bytes = (text: string): number => text.length * 3;
