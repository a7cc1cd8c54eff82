/**
 * JSON of a caller, parsed strictly: a text that two parsers could read differently is refused.
 *
 * RFC 8259, section 4, leaves it open what a repeated name in an object means, and parsers differ: JSON.parse takes the
 * last value, others take the first. A proxy in front of the gateway would then check one `account_id`, and the gateway
 * act for another. No setting of JSON.parse reports a repeated name, and `secure-json-parse`
 * looks for `__proto__` alone. Hence the scanner below: one pass over a text that is known to be JSON and at most 1 MiB
 * long.
 */
import { ServiceError } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import { maxJsonDepth, requireFewFields } from '../kernel/lib/json-limits.ts';

/** Names that reach an object's prototype when careless code copies them. No field of the contract has one. */
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The value of a JSON text in UTF-8.
 * @throws ServiceError `content_too_large`, or `malformed_request` that says what is wrong with the text
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  requireFewFields(text);
  const value = parse(text);
  requireUnambiguous(text);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('The body is not encoded as UTF-8.');
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw malformed('The body is empty: send a JSON object.');
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message repeats parts of the body.
    throw malformed('The body is not valid JSON.');
  }
}

/** Scans a text that is known to be JSON for repeated and forbidden names and for too much nesting. */
function requireUnambiguous(text: string): void {
  // The names so far of each open object; null for an array.
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text[at]) {
      case '{':
        open.push(new Set());
        break;
      case '[':
        open.push(null);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case '"': {
        const end = endOfString(text, at);
        // Parsed, as a name may be written with escapes.
        if (isName(text, end)) requireNew(String(JSON.parse(text.slice(at, end))), open.at(-1) ?? null);
        at = end - 1;
        break;
      }
    }
    if (open.length > maxJsonDepth) throw malformed(`The body is nested more than ${maxJsonDepth} levels deep.`);
  }
}

/** The index after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Whether a colon follows, after white space. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
  return text[at] === ':';
}

function requireNew(name: string, names: Set<string> | null): void {
  if (forbiddenNames.has(name)) throw malformed(`The body has a field named ${name}, which is never allowed.`);
  if (names?.has(name)) throw malformed(`The body has the field ${shortened(name)} twice in one object.`);
  names?.add(name);
}

const malformed = (detail: string) => new ServiceError('malformed_request', { detail });
