/** What the splicer does, done with JSON.parse and JSON.stringify. */
import { parseWellFormed } from '../../src/kernel/lib/json-text.ts';
import { instantOf } from '../../src/splice/instant.ts';
import { itself, type LeafRule, type ObjectShape, type Part } from '../../src/splice/plan.ts';
import type { PrintOptions } from '../../src/splice/splicer.ts';

/** The model does not say why. */
export class Refused extends Error {}

interface Place {
  readonly object: object;
  readonly shape: ObjectShape;
  readonly options: PrintOptions;
  readonly item: number;
}

/**
 * @returns what a template prints of a document
 * @throws Refused
 */
export function modelPrint(
  parts: readonly Part[],
  shape: ObjectShape,
  document: Uint8Array,
  options: PrintOptions,
): string {
  // Bytes that are no UTF-8 are read as U+FFFD, and a byte order mark is no JSON.
  const object = parsed(Buffer.from(document).toString());
  if (!isObject(object)) throw new Refused('root');
  return printParts(parts, { object, shape, options, item: 0 });
}

function parsed(text: string): unknown {
  try {
    return parseWellFormed(text);
  } catch (error) {
    throw new Refused('not JSON', { cause: error });
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const printParts = (parts: readonly Part[], place: Place): string =>
  parts.map((part) => printPart(part, place)).join('');

function printPart(part: Part, place: Place): string {
  const { options, item } = place;
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'parameter':
      return parameter(options.parameters[part.index]);
    case 'itemParameter':
      return parameter(options.itemParameters[part.index]?.[item]);
    case 'leaf':
    case 'object':
    case 'list':
    case 'first': {
      const value = memberOf(place, part.key);
      if (value !== undefined && value !== null) return printValue(part, value, place);
      if (part.required) throw new Refused(part.key);
      return 'null';
    }
    case 'base64url': {
      const value = memberOf(place, part.key);
      if (typeof value !== 'string') throw new Refused(part.key);
      const strings = [...firstOf(place, part.first), value].map((each) => JSON.stringify(each)).join(',');
      const text = parameter(options.parameters[part.prefix]) + strings + part.suffix;
      return `"${Buffer.from(text).toString('base64url')}"`;
    }
    case 'presence': {
      const value = memberOf(place, part.key) ?? null;
      if (value !== null && typeof value !== 'string') throw new Refused(part.key);
      return String(value !== null);
    }
    case 'choice': {
      const value = memberOf(place, part.key) ?? null;
      if (value !== null && typeof value !== 'string' && !isObject(value)) throw new Refused(part.key);
      return printParts(value === null ? part.otherwise : part.parts, place);
    }
    case 'inner':
      throw new Refused('inner');
    case 'window': {
      const value = memberOf(place, part.key);
      if (!Array.isArray(value)) throw new Refused(part.key);
      return entriesOf(place, part.key, value.slice(options.from, options.to))
        .map((entry, at) => printParts(part.parts, { ...entry, item: at }))
        .join(',');
    }
    case 'switch': {
      const value = memberOf(place, part.key);
      if (typeof value !== 'string') throw new Refused(part.key);
      const chosen = Object.hasOwn(part.cases, value) ? part.cases[value] : undefined;
      if (chosen === undefined) throw new Refused(part.key);
      return printParts(chosen, place);
    }
    default:
      return part satisfies never;
  }
}

function firstOf(place: Place, first: Extract<Part, { kind: 'base64url' }>['first']): string[] {
  if (first === undefined) return [];
  const object = memberOf(place, first.object);
  const value = isObject(object) ? memberOf({ ...place, object }, first.key) : undefined;
  if (typeof value !== 'string') throw new Refused(first.object);
  return [value];
}

const memberOf = ({ object }: Place, key: string): unknown =>
  Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined;

function parameter(text: string | undefined): string {
  if (text === undefined) throw new Refused('parameter');
  return text;
}

function printValue(part: Extract<Part, { required: boolean }>, value: unknown, place: Place): string {
  switch (part.kind) {
    case 'leaf':
      return printLeaf(part.rule, value);
    case 'object':
      if (!isObject(value)) throw new Refused(part.key);
      return printParts(part.parts, { ...place, object: value, shape: insideOf(place, part.key) });
    case 'list':
      if (!Array.isArray(value)) throw new Refused(part.key);
      if (value.length === 0 && part.emptyIsNull === true) return 'null';
      return `[${entriesOf(place, part.key, value)
        .map((entry) => printParts(part.parts, entry))
        .join(',')}]`;
    case 'first': {
      if (!Array.isArray(value)) throw new Refused(part.key);
      const [first] = entriesOf(place, part.key, value.slice(0, 1));
      if (first !== undefined) return printParts(part.parts, first);
      if (part.required) throw new Refused(part.key);
      return 'null';
    }
    default:
      return part satisfies never;
  }
}

/** What stands under the key: that of a leaf is an object that has it. */
function insideOf({ shape }: Place, key: string): ObjectShape {
  const value = shape[key];
  if (value === undefined || value === 'leaf') throw new Error(`Nothing stands in ${key}`);
  const inside = 'object' in value ? value.object : value.list;
  return inside === 'leaf' ? { [itself]: inside } : inside;
}

function entriesOf(place: Place, key: string, entries: readonly unknown[]): Place[] {
  const shape = insideOf(place, key);
  const value = place.shape[key];
  const areLeaves = typeof value === 'object' && 'list' in value && value.list === 'leaf';
  return entries.map((entry) => {
    const object = areLeaves ? { [itself]: entry } : entry;
    if (!isObject(object)) throw new Refused('entry');
    return { ...place, shape, object };
  });
}

function printLeaf(rule: LeafRule, value: unknown): string {
  if (typeof rule !== 'string') {
    if (typeof value !== 'string') throw new Refused('mapping');
    const mapped = Object.hasOwn(rule.mapping, value) ? rule.mapping[value] : rule.otherwise;
    if (typeof mapped !== 'string') throw new Refused('mapping');
    return mapped;
  }
  if (rule === 'instant' && typeof value === 'number') {
    const instant = instantOf(value);
    if (instant === undefined) throw new Refused(rule);
    return JSON.stringify(instant);
  }
  if (rule === 'integer') {
    if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 999_999_999) throw new Refused(rule);
    return JSON.stringify(value);
  }
  const isFit = rule === 'instant' ? isInstant(value) : typeof value === rule;
  if (!isFit) throw new Refused(rule);
  return JSON.stringify(value);
}

/** Each last day of February in a leap year is left out too. */
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,3})?Z$/.test(value)) {
    return false;
  }
  const [year, month, day] = value.split(/[-T]/).map(Number) as [number, number, number];
  const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return year >= 1 && day >= 1 && day <= days;
}
