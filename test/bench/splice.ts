/**
 * What the splicer costs, against JSON.parse and JSON.stringify of the same pages in the same run:
 * `node test/bench/splice.ts [seconds]`. The ratios are what counts; times are of the CPU, and swing with the machine.
 */
import type { ObjectShape, Part, SplicePlan, ValueShape } from '../../src/splice/plan.ts';
import { createSplicer, encodePlan, type PrintOptions } from '../../src/splice/splicer.ts';
import { page } from './page.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const splicer = createSplicer();
const seconds = Number(process.argv[2] ?? 1);

/** A plan that prints everything of the posts, with a cursor for each, or only some keys. */
function planOf(items: readonly { readonly [key: string]: Json }[], keys?: readonly string[]): SplicePlan {
  const merged = merge(items);
  const chosen = Object.fromEntries(Object.entries(merged).filter(([key]) => keys?.includes(key) ?? true));
  return {
    shape: { items: { list: shapeOf(chosen) }, cursor: 'leaf' },
    templates: [
      [
        { kind: 'text', text: '{"data":{"posts":{"edges":[' },
        {
          kind: 'window',
          key: 'items',
          parts: [
            { kind: 'text', text: '{"cursor":' },
            { kind: 'base64url', key: 'id', prefix: 0, suffix: '}' },
            { kind: 'text', text: ',"node":' },
            ...partsOf(chosen),
            { kind: 'text', text: '}' },
          ],
        },
        { kind: 'text', text: '],"next":' },
        { kind: 'leaf', key: 'cursor', rule: 'string', required: false },
        { kind: 'text', text: '}}}' },
      ],
    ],
  };
}

/** All keys that any of the objects has, each with its last value. */
function merge(objects: readonly { readonly [key: string]: Json }[]): { [key: string]: Json } {
  return Object.assign({}, ...objects.map((object) => withoutEmpty(object)));
}

const withoutEmpty = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));

function shapeOf(object: { readonly [key: string]: Json }): ObjectShape {
  const shape = (value: Json): ValueShape => {
    if (Array.isArray(value)) return { list: shapeOf(merge(value)) };
    return typeof value === 'object' && value !== null ? { object: shapeOf(value as Record<string, Json>) } : 'leaf';
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, shape(value)]));
}

function partsOf(object: { readonly [key: string]: Json }): Part[] {
  const parts = Object.entries(object).flatMap(([key, value], at): Part[] => [
    { kind: 'text', text: `${at === 0 ? '{' : ','}"${key}":` },
    partOf(key, value),
  ]);
  return [...parts, { kind: 'text', text: '}' }];
}

function partOf(key: string, value: Json): Part {
  if (Array.isArray(value)) return { kind: 'list', key, required: false, parts: partsOf(merge(value)) };
  switch (typeof value) {
    case 'object':
      return { kind: 'object', key, required: false, parts: partsOf(value as Record<string, Json>) };
    case 'number':
    case 'boolean':
      return { kind: 'leaf', key, rule: typeof value as 'number' | 'boolean', required: false };
    default:
      return { kind: 'leaf', key, rule: key === 'parsed_datetime' ? 'instant' : 'string', required: false };
  }
}

/** Microseconds of CPU per call. */
function cost(call: () => void, milliseconds: number): number {
  let calls = 0;
  const start = process.cpuUsage();
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    for (let n = 0; n < 20; n++) call();
    calls += 20;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}

/** A page whose texts are longer, so that it is as large as those that posts of a network come in. */
function enlarged(document: Buffer, size: number): Buffer {
  const { items, ...rest } = JSON.parse(document.toString()) as { items: { text: string }[] };
  const more = ' and so on'.repeat(Math.ceil((size - document.length) / items.length / 10));
  const longer = items.map((item) => ({ ...item, text: item.text + more }));
  return Buffer.from(JSON.stringify({ ...rest, items: longer }));
}

const chunked = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, n) => bytes.subarray(n * 65_536, (n + 1) * 65_536));

const options: PrintOptions = {
  from: 0,
  to: 100,
  parameters: ['{"v":1,"filter":"0123456789abcdef","id":'],
  itemParameters: [],
};

for (const { name, count, size, keys } of [
  { name: '100 posts, all keys', count: 100, size: 216_000, keys: undefined },
  { name: '10 posts, three keys', count: 10, size: 25_000, keys: ['id', 'text', 'reaction_counter'] },
]) {
  const bytes = enlarged(page(count), size);
  const { items } = JSON.parse(bytes.toString());
  const plan = encodePlan(planOf(items, keys));
  const chunks = chunked(bytes);
  let scanOnly = false;
  let printed = 0;
  const splice = (): void => {
    const open = splicer.open(plan);
    const scanned = open.scan(chunks);
    if (typeof scanned === 'string') throw new Error(scanned);
    if (!scanOnly) {
      const refusal = open.print(0, scanned, options);
      if (refusal !== null) throw new Error(refusal);
      printed = open.output().length;
    }
    open.close();
  };
  const parse = (): void => {
    printed = JSON.stringify(JSON.parse(bytes.toString())).length;
  };
  splice();
  process.stdout.write(`${name}: ${bytes.length} bytes in, ${printed} out\n`);
  const rounds = Array.from({ length: 5 }, () => {
    const round = (seconds * 1_000) / 15;
    scanOnly = false;
    const splicing = cost(splice, round);
    scanOnly = true;
    const scanning = cost(splice, round);
    return { splicing, scanning, parsing: cost(parse, round) };
  }).sort((one, other) => one.splicing / one.parsing - other.splicing / other.parsing);
  const { splicing, scanning, parsing } = rounds[2] as (typeof rounds)[number];
  process.stdout.write(
    `  splice ${splicing.toFixed(1)} µs (read ${scanning.toFixed(1)}), parse and stringify ${parsing.toFixed(1)} µs: ` +
      `${(parsing / splicing).toFixed(1)} times as fast\n`,
  );
}
