/** What holds for all JSON of callers, besides the size of a body. */
import { ServiceError } from '../errors.ts';

/**
 * Fields of all objects in a body. A large request has a thousand. To parse a megabyte of fields with different names
 * takes a quarter of a second, and each copy of such an object a tenth.
 */
export const maxJsonFields = 20_000;

/** The shortest: `"":0,`. */
const charactersOfField = 5;

/**
 * Counts the fields ahead of the parser.
 * @param text of which nobody knows yet whether it is JSON
 * @throws ServiceError `content_too_large`
 */
export function requireFewFields(text: string): void {
  if (text.length < maxJsonFields * charactersOfField) return;
  let fields = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfString(text, at);
    else if (text[at] === ':') fields += 1;
  }
  if (fields <= maxJsonFields) return;
  throw new ServiceError('content_too_large', { detail: `A request body can have at most ${maxJsonFields} fields.` });
}

/** The index of the closing quote; that of the end of a text that is cut off. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/**
 * Entries of all lists in a request of GraphQL, as many as a document has room for. Each is coerced, checked and copied:
 * a megabyte of them takes a third of a second, before the list is refused that may have 250.
 */
export const maxJsonEntries = 10_000;

/** Whether the lists of a value have at most {@link maxJsonEntries}. Of a list that is too long no entry is read. */
export function hasFewEntries(value: unknown): boolean {
  const open = isNested(value) ? [value] : [];
  let entries = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) entries += next.length;
    if (entries > maxJsonEntries) return false;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    for (const each of inner) if (isNested(each)) open.push(each);
  }
  return true;
}

/** Levels of objects and lists: whatever stores or sends a value may recurse into it. No request of the contract comes near. */
export const maxJsonDepth = 64;

/** Whether a value has at most {@link maxJsonDepth} levels. It has no recursion, which a deeper value would exhaust. */
export function isShallow(value: unknown): boolean {
  let level = isNested(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxJsonDepth) return false;
    const next: object[] = [];
    for (const each of level) {
      const inner: unknown[] = Array.isArray(each) ? each : Object.values(each);
      for (const value of inner) if (isNested(value)) next.push(value);
    }
    level = next;
  }
  return true;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
