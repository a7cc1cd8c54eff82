/**
 * What a body of a service may be beside its size: as deep, and of as many values, as the kernel of splices reads. Whoever parses a
 * body looks here first, so that a page is refused whatever reads it.
 */
import { maxDepth, maxValues } from '../splice/layout.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}`: they differ in one bit. */
const [open, close, bracketBits] = [0x5b, 0x5d, 0xdf];

/** Whether a text, of which nobody knows yet whether it is JSON, has more levels or values than are read. */
export function isExcessive(text: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) at = endOfString(text, at);
    else if (byte === comma) values += 1;
    else if ((byte & bracketBits) === open) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) return true;
    } else if ((byte & bracketBits) === close) depth -= 1;
    if (values > maxValues) return true;
  }
  return false;
}

/** As far as most strings go: to call `indexOf` takes as long as to look at these. */
const nearby = 32;

/** The index of the closing quote; that of the end of a text that is cut off. */
function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  for (const near = at + nearby; at < near; at += text[at] === backslash ? 2 : 1) {
    if (at >= text.length || text[at] === quote) return at;
  }
  // Of a long string, whose escapes are few or many, each quote is looked for at once.
  for (;;) {
    const end = text.indexOf(quote, at);
    if (end < 0) return text.length;
    let first = end;
    while (first > at && text[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    at = end + 1;
  }
}
