/** Depth and values of a body, as in the kernel of splices: a page is refused whatever reads it. */
import { maxDepth, maxValues } from '../splice/layout.ts';

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}` differ in one bit. */
const [open, close, bracketBits] = [0x5b, 0x5d, 0xdf];

/** @param text not known to be JSON */
export function isExcessive(text: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) at = closingQuote(text, at);
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

/** Calling `indexOf` takes as long as looking at these, where most strings end and escapes follow each other. */
const nearby = 32;

/** Index of the closing quote, or the end of a text that is cut off. */
function closingQuote(text: Uint8Array, start: number): number {
  let at = start + 1;
  // Where one quote is escaped, as a rule there are more.
  for (let most = nearby; ; most *= 2) {
    for (const near = at + most; at < near; at += text[at] === backslash ? 2 : 1) {
      if (at >= text.length || text[at] === quote) return at;
    }
    // In a long string, `indexOf` finds the next quote, escaped or not.
    const end = text.indexOf(quote, at);
    if (end < 0) return text.length;
    let first = end;
    while (first > at && text[first - 1] === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
    at = end + 1;
  }
}
