/**
 * JSON of a caller, parsed strictly: a text that two parsers could read differently is refused.
 *
 * RFC 8259, section 4, leaves it open what a repeated name in an object means, and parsers differ: JSON.parse takes the
 * last value, others take the first. A proxy in front of the gateway would then check one `account_id`, and the gateway
 * act for another. No setting of JSON.parse reports a repeated name, and `secure-json-parse` looks for `__proto__`
 * alone. Hence the scanner below: one pass over a text that is known to be JSON and at most 1 MiB long.
 */
import { malformedRequest } from '../kernel/errors.ts';
import { shortened } from '../kernel/issues.ts';
import { decodeText, endOfString, maxJsonDepth, parseJson, tooDeep } from '../kernel/lib/json-text.ts';

/** Careless copies reach an object's prototype by them. No field of the contract has one. */
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** @throws ServiceError `content_too_large`, or `malformed_request` with the fault */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decodeText(bytes);
  const value = parseJson(text);
  requireUnambiguous(text);
  return value;
}

function requireUnambiguous(text: string): void {
  // Names of each open object so far; null for an array.
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
        const end = endOfString(text, at) + 1;
        // Parsed, as a name may have escapes.
        if (isName(text, end)) requireNew(String(JSON.parse(text.slice(at, end))), open.at(-1) ?? null);
        at = end - 1;
        break;
      }
    }
    if (open.length > maxJsonDepth) throw tooDeep('The body');
  }
}

/** A colon follows, after white space. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at += 1;
  return text[at] === ':';
}

function requireNew(name: string, names: Set<string> | null): void {
  if (forbiddenNames.has(name)) throw malformedRequest(`The body has a field named ${name}, which is never allowed.`);
  if (names?.has(name)) throw malformedRequest(`The body has the field ${shortened(name)} twice in one object.`);
  names?.add(name);
}
