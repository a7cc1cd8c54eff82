/**
 * The bound of every collection that starts empty and may outlive the call that made it, of what is put into others, and of
 * arrays that are queues. Left out: what is made from data, weak ones, which hold nothing, and the client's, which are in its own
 * program.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bounds } from '../support/bounds.ts';

const src = join(import.meta.dirname, '../../src');
const made = String.raw`new (?:(?:(?:Small)?Map|Set)(?:<.*>)?\(\)|(?:\w+\.)?(?:LRUCache|Agent|Client|Pool|RetryAgent)\b)`;
const patterns = [
  // What a module, a closure or an object keeps; a function's own stand deeper.
  String.raw`^ {0,2}(?:const |let |readonly )?(#?\w+)(?:: [^=\n]+)? =(?: [^\n]* \?)?\s+${made}`,
  // What is put into another collection, or made when it is first needed.
  String.raw`^ *(?:const |let )?(\w+) (?:\?\?=|= [^\n]* \?\?) ${made}`,
  String.raw`(?:^ *|[{,] )(\w+): ${made}`,
  String.raw`^ *this\.(#\w+) (?:\?\?)?= (?:[^\n]* \? )?${made}`,
  // Queues.
  String.raw`\b(\w+)\.(?:shift\(\)|splice\(0\b)`,
  String.raw`^ {0,2}let (\w+): [^=\n]*\[\] = \[\]`,
].map((source) => new RegExp(source, 'gm'));

const collectionsIn = (file: string, source: string): string[] =>
  patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, name]) => `${file} ${name}`));

test('every collection has a bound, and every bound is of a collection', () => {
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('client/'))
    .flatMap((file) => collectionsIn(file, readFileSync(join(src, file), 'utf8')));
  expect([...new Set(found)].sort()).toEqual(Object.keys(bounds).sort());
});

test('a collection is found wherever it may live long', () => {
  const source = [
    'const a = new Map<string, Map<string, number>>();',
    '  const b = new Set();',
    '  readonly #c = new Map<string, () => void>();',
    '  const d = new LRUCache<string, number>({ max: 1 });',
    '  const e: ReadonlyMap<string, number> =',
    '    new Map();',
    '  const f = one ? new Map() : null;',
    '    const g = outer.get(key) ?? new Set<string>();',
    '    h ??= new LRUCache({ max: 1 });',
    '    outer.set(key, { i: new Set() });',
    '    const j = k.shift();',
    '    this.#m = new Set();',
    '    this.#o ??= new SmallMap();',
    '  let l: string[] = [];',
    '  const n = new undici.Pool(origin);',
    'const table = new Set([1]);',
  ].join('\n');
  const names = ['a', 'b', '#c', 'd', 'e', 'f', 'g', 'h', 'i', 'k', 'l', '#m', 'n', '#o'];
  expect(new Set(collectionsIn('x', source))).toEqual(new Set(names.map((name) => `x ${name}`)));
});
