/**
 * Which file may import which. The rules are those of the layout: two answers to one port, faces that know nothing of
 * backends, capabilities that know nothing of one another. They are checked over the text of the import lines, and
 * every rule has an import that it must find.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The files below src/ that each file imports, types included. */
type Graph = ReadonlyMap<string, readonly string[]>;

const importPattern = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Comments may quote code: what stands in them is no import. */
const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');

const importsOf = (file: string, source: string): string[] =>
  [...withoutComments(source).matchAll(importPattern)].map(([, path]) =>
    normalize(join(dirname(file), path as string)),
  );

const src = join(import.meta.dirname, '../src');
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);
const graph: Graph = new Map([...sources].map(([file, source]) => [file, importsOf(file, source)]));

const capabilities = ['accounts', 'jobs', 'posts', 'webhooks'];
const capabilityOf = (file: string): string | undefined =>
  capabilities.find((capability) => file.startsWith(`${capability}/`));

const isFace = (file: string): boolean =>
  /^(graphql|rest)\//.test(file) ||
  (capabilityOf(file) !== undefined && /^\w+\/(graphql\.ts|graphql\/|rest\.ts)/.test(file));
const isBackend = (file: string): boolean =>
  /^(store|networks|delivery|upstream)\//.test(file) || /^\w+\/(embedded|upstream)\.ts$/.test(file);
/** Everything that is put together at the top: nothing below may know it. */
const isTop = (file: string): boolean => /^(main|app|key|account|sandbox|command|demo|startup)\.ts$/.test(file);

interface Rule {
  readonly name: string;
  readonly forbids: (from: string, to: string) => boolean;
  /** Whether it counts where a file leads to through others too. */
  readonly transitive?: true;
  /** An import that it must find. */
  readonly finds: readonly [from: string, to: string];
}

const rules: readonly Rule[] = [
  {
    // Accounts is the shared kernel: every call is made from an account, by a key.
    name: 'a capability imports no other, except accounts',
    forbids: (from, to) => {
      const [ours, theirs] = [capabilityOf(from), capabilityOf(to)];
      return ours !== undefined && theirs !== undefined && theirs !== ours && theirs !== 'accounts';
    },
    finds: ['accounts/keys.ts', 'jobs/shapes.ts'],
  },
  {
    name: 'a face leads to no backend',
    forbids: (from, to) => isFace(from) && isBackend(to),
    transitive: true,
    finds: ['jobs/graphql/queries.ts', 'store/database.ts'],
  },
  {
    name: 'a port, an operation and a shape lead to no face and no backend',
    forbids: (from, to) => /^\w+\/(port|operations|shapes|sources)\.ts$/.test(from) && (isFace(to) || isBackend(to)),
    transitive: true,
    finds: ['posts/port.ts', 'networks/network.ts'],
  },
  {
    name: 'embedded.ts sees store, networks and accounts, but no face and no other backend',
    forbids: (from, to) =>
      /^\w+\/embedded\.ts$/.test(from) &&
      (isFace(to) || /(^|\/)upstream/.test(to) || /^(http|config|outbound)\.ts$/.test(to)),
    finds: ['jobs/embedded.ts', 'upstream/client.ts'],
  },
  {
    name: 'upstream.ts sees nothing of backends but upstream/client.ts',
    forbids: (from, to) =>
      /^\w+\/upstream\.ts$/.test(from) &&
      (isFace(to) || (isBackend(to) && to !== 'upstream/client.ts') || /^(http|config|outbound)\.ts$/.test(to)),
    finds: ['posts/upstream.ts', 'store/database.ts'],
  },
  {
    // Ids, the vault and address rules are no part of a capability or a backend, so that it may see them too.
    name: 'delivery sees shapes of webhooks, store and outbound, but no other capability, network or face',
    forbids: (from, to) =>
      from.startsWith('delivery/') &&
      (/^(jobs|posts|networks|upstream)\//.test(to) ||
        isFace(to) ||
        /^\w+\/(embedded|upstream)\.ts$/.test(to) ||
        /^(http|config)\.ts$/.test(to)),
    finds: ['delivery/worker.ts', 'posts/shapes.ts'],
  },
  {
    name: 'a network adapter sees shapes of capabilities only',
    forbids: (from, to) => from.startsWith('networks/') && to.includes('/') && !/^networks\/|\/shapes\.ts$/.test(to),
    finds: ['networks/pnet/jobs.ts', 'accounts/keys.ts'],
  },
  {
    name: 'the store sees no capability and no face',
    forbids: (from, to) => from.startsWith('store/') && (capabilityOf(to) !== undefined || isFace(to)),
    finds: ['store/list.ts', 'webhooks/shapes.ts'],
  },
  {
    name: 'only main imports app',
    forbids: (from, to) => to === 'app.ts' && from !== 'main.ts',
    finds: ['key.ts', 'app.ts'],
  },
  {
    name: 'nothing below the top imports what is put together there',
    forbids: (from, to) => isTop(to) && !isTop(from),
    finds: ['store/database.ts', 'startup.ts'],
  },
];

/** Every breach of a rule as the way from the file to what it must not see. */
function breaches({ forbids, transitive }: Rule, of: Graph): string[] {
  return [...of.keys()].flatMap((from) =>
    [...waysFrom(from, of, transitive === true)].flatMap(([to, way]) => (forbids(from, to) ? [way.join(' → ')] : [])),
  );
}

/** The files that a file imports, or leads to, with the way there. */
function waysFrom(from: string, of: Graph, transitive: boolean): Map<string, readonly string[]> {
  const ways = new Map<string, readonly string[]>();
  const open: (readonly string[])[] = [[from]];
  for (let way = open.shift(); way !== undefined; way = open.shift()) {
    for (const to of of.get(way.at(-1) as string) ?? []) {
      if (ways.has(to)) continue;
      ways.set(to, [...way, to]);
      if (transitive) open.push([...way, to]);
    }
  }
  return ways;
}

/** Each file that leads back to itself, with the way. */
const cycles = (of: Graph): string[] =>
  [...of.keys()].flatMap((file) => waysFrom(file, of, true).get(file)?.join(' → ') ?? []);

const readsEnvironment = (files: ReadonlyMap<string, string>): string[] =>
  [...files]
    .filter(([, source]) => /process\.env|\benv\b.*node:process/.test(withoutComments(source)))
    .map(([file]) => file);

test('every import leads to a file of the project', () => {
  const lost = [...graph].flatMap(([from, all]) => all.filter((to) => !graph.has(to)).map((to) => `${from} → ${to}`));
  expect(lost).toEqual([]);
  expect(graph.size).toBeGreaterThan(80);
  expect(graph.get('main.ts')).toContain('app.ts');
});

describe.each(rules)('$name', (rule) => {
  test('it holds', () => {
    expect(breaches(rule, graph)).toEqual([]);
  });

  test('a breach is found', () => {
    const [from, to] = rule.finds;
    const broken = new Map([...graph, [from, [...(graph.get(from) ?? []), to]]]);
    expect(breaches(rule, broken)).toContain(`${from} → ${to}`);
  });

  test('a breach through another file is found where it counts', () => {
    const [from, to] = rule.finds;
    const between = 'between.ts';
    const broken = new Map([...graph, [from, [...(graph.get(from) ?? []), between]], [between, [to]]]);
    const found = breaches(rule, broken).includes(`${from} → ${between} → ${to}`);
    expect(found).toBe(rule.transitive === true);
  });
});

test('no imports run in a circle, and one that did would be found', () => {
  expect(cycles(graph)).toEqual([]);
  expect(cycles(new Map([...graph, ['errors.ts', ['app.ts']]]))).not.toEqual([]);
});

test('only config.ts knows the environment; the programs hand it over', () => {
  const programs = ['command.ts', 'main.ts'];
  expect(readsEnvironment(sources)).toEqual(expect.arrayContaining(programs));
  expect(readsEnvironment(sources).filter((file) => !programs.includes(file))).toEqual([]);
  for (const file of programs) {
    const uses = sources.get(file)?.match(/process\.env/g)?.length;
    expect(uses).toBe(sources.get(file)?.match(/readConfig\(process\.env\)/g)?.length);
  }
  expect(readsEnvironment(new Map([['http.ts', "const level = process.env['LEVEL'];"]]))).toEqual(['http.ts']);
});

test('imports are read as they are written', () => {
  const source = `
    import type { A } from './a.ts';
    import './b.ts';
    export { c } from '../c.ts';
    const d = await import('./d.ts');
    import {
      e,
    } from '../x/e.ts';
    import pg from 'pg';
    // import './not.ts';
    /* from './neither.ts' */
  `;
  expect(importsOf('x/file.ts', source)).toEqual(['x/a.ts', 'x/b.ts', 'c.ts', 'x/d.ts', 'x/e.ts']);
});
