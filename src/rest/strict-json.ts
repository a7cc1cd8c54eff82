/** JSON of a caller, read strictly: what two readers could understand differently is refused (RFC 8259, section 4). */
import { ServiceError } from '../errors.ts';
import { shortened } from '../issues.ts';

/** Deeper than any request of the contract, by far. */
const maxDepth = 64;

/** Names that reach an object's prototype when a careless reader copies them. No field of the contract has one. */
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * The value of a JSON text in UTF-8.
 * @throws ServiceError `malformed_request` that says what is wrong with it
 */
export function readJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  const value = parse(text);
  // JSON.parse keeps the last of several fields of one name and is silent about it.
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

/** Walks through a text that is known to be JSON, for the names of its fields and the depth of its nesting. */
function requireUnambiguous(text: string): void {
  // The names so far of each object that is open; null for an array.
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
        if (isName(text, end)) requireNew(JSON.parse(text.slice(at, end)), open.at(-1) ?? null);
        at = end - 1;
        break;
      }
    }
    if (open.length > maxDepth) throw malformed(`The body is nested more than ${maxDepth} levels deep.`);
  }
}

/** The index behind the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Whether a colon follows, behind white space. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\n\r'.includes(text[at] as string)) at += 1;
  return text[at] === ':';
}

function requireNew(name: string, names: Set<string> | null): void {
  if (forbiddenNames.has(name)) throw malformed(`The body has a field named ${name}, which is never allowed.`);
  if (names?.has(name)) throw malformed(`The body has the field ${shortened(name)} twice in one object.`);
  names?.add(name);
}

const malformed = (detail: string) => new ServiceError('malformed_request', { detail });
