/**
 * Which file may import which. The rules are those of the layout: two answers to one port, faces that know nothing of
 * backends, capabilities that know nothing of one another. They are checked over the text of the import lines, and
 * every rule has an import that it must find.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

/** The files below src/ that each file imports, types included. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** Data is no module: build-version.ts reads package.json. */
const importPattern = /\b(?:from|import)\s*\(?\s*'(\.[^']+(?<!\.json))'/g;

/** Comments may quote code: what stands in them is no import. */
const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm, '');

const importsOf = (file: string, source: string): string[] =>
  [...withoutComments(source).matchAll(importPattern)].map(([, path]) =>
    normalize(join(dirname(file), path as string)),
  );

const src = join(import.meta.dirname, '../../src');
const sources = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);
const graph: Graph = new Map([...sources].map(([file, source]) => [file, importsOf(file, source)]));

const capabilities = ['accounts', 'jobs', 'posts', 'webhooks', 'deliveries'];
const capabilityOf = (file: string): string | undefined =>
  capabilities.find((capability) => file.startsWith(`capabilities/${capability}/`));

const isFace = (file: string): boolean => /^(?:graphql|rest)\/|^(?:capabilities\/\w+|events)\/graphql\//.test(file);
const isBackend = (file: string): boolean =>
  /^(?:store|providers|delivery|upstream)\//.test(file) ||
  /^capabilities\/\w+\/(?:embedded|upstream|repository)\.ts$/.test(file);
/** Everything that is put together at the top: nothing below may know it. */
const isTop = (file: string): boolean => /^app\//.test(file);

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
    // In GraphQL one thing leads on to another, which is what makes it a graph. A delivery is one of a webhook.
    name: 'a capability imports no other, but for edges of the graph, and webhooks by their deliveries',
    forbids: (from, to) => {
      const [ours, theirs] = [capabilityOf(from), capabilityOf(to)];
      if (ours === undefined || theirs === undefined || theirs === ours) return false;
      const isEdge = isFace(from) && isFace(to);
      return !isEdge && !(ours === 'deliveries' && theirs === 'webhooks');
    },
    finds: ['capabilities/webhooks/embedded.ts', 'capabilities/deliveries/shapes.ts'],
  },
  {
    name: 'a face leads to no backend',
    forbids: (from, to) => isFace(from) && isBackend(to),
    transitive: true,
    finds: ['capabilities/jobs/graphql/queries.ts', 'store/database.ts'],
  },
  {
    name: 'a port, an operation, an endpoint, a shape and the vocabulary of events lead to no face and no backend',
    forbids: (from, to) =>
      (/^capabilities\/\w+\/(?:port|operations|endpoints|shapes)\.ts$/.test(from) || /^events\/\w+\.ts$/.test(from)) &&
      (isFace(to) || isBackend(to)),
    transitive: true,
    finds: ['capabilities/posts/port.ts', 'providers/provider.ts'],
  },
  {
    name: 'the kernel and auth import no capability, but for the ports that ports.ts lists',
    forbids: (from, to) =>
      /^(?:auth|kernel)\//.test(from) &&
      capabilityOf(to) !== undefined &&
      !(from === 'kernel/ports.ts' && to.endsWith('/port.ts')),
    finds: ['kernel/ids.ts', 'capabilities/jobs/shapes.ts'],
  },
  {
    name: 'auth knows nothing of the HTTP server, which may know auth',
    forbids: (from, to) => from.startsWith('auth/') && to.startsWith('http/'),
    finds: ['auth/admission.ts', 'http/server.ts'],
  },
  {
    name: 'embedded.ts sees store, providers and auth, but no face and no other backend',
    forbids: (from, to) =>
      /^capabilities\/\w+\/embedded\.ts$/.test(from) &&
      (isFace(to) || /(^|\/)upstream/.test(to) || /^http\/|^app\/|^net\/(?:outbound|service-pool)\.ts$/.test(to)),
    finds: ['capabilities/jobs/embedded.ts', 'upstream/client.ts'],
  },
  {
    name: 'upstream.ts sees nothing of backends but upstream/client.ts',
    forbids: (from, to) =>
      /^capabilities\/\w+\/upstream\.ts$/.test(from) &&
      (isFace(to) ||
        (isBackend(to) && to !== 'upstream/client.ts') ||
        /^http\/|^app\/|^net\/(?:outbound|service-pool)\.ts$/.test(to)),
    finds: ['capabilities/posts/upstream.ts', 'store/database.ts'],
  },
  {
    name: 'the engine sees of webhooks what is stored of them, and nothing of the API',
    forbids: (from, to) =>
      from.startsWith('delivery/') &&
      (/^(?:capabilities\/(?:accounts|jobs|posts)|providers|upstream|http|app)\//.test(to) ||
        (/^capabilities\/deliveries\//.test(to) && to !== 'capabilities/deliveries/attempt-counts.ts') ||
        (/^capabilities\/webhooks\//.test(to) &&
          !/\/(?:shapes|destinations|holds|manageable|match|removal|repository|signing-secret)\.ts$/.test(to)) ||
        isFace(to)),
    finds: ['delivery/worker.ts', 'capabilities/webhooks/port.ts'],
  },
  {
    name: 'the registry of webhooks knows neither their deliveries nor the engine',
    forbids: (from, to) =>
      from.startsWith('capabilities/webhooks/') && /^(?:delivery|capabilities\/deliveries)\//.test(to),
    finds: ['capabilities/webhooks/embedded.ts', 'delivery/engine.ts'],
  },
  {
    name: 'a provider adapter sees shapes of capabilities only',
    forbids: (from, to) =>
      /^providers\/(?!testing\/)/.test(from) && !/^(?:providers|kernel)\/|^auth\/account\.ts$|\/shapes\.ts$/.test(to),
    finds: ['providers/sandbox/pnet/jobs.ts', 'auth/api-keys.ts'],
  },
  {
    name: 'the store sees no capability, no face and no response cache',
    forbids: (from, to) =>
      from.startsWith('store/') && (capabilityOf(to) !== undefined || isFace(to) || to.startsWith('cache/')),
    finds: ['store/channels.ts', 'cache/response-store.ts'],
  },
  {
    name: 'the store of the response cache sees no face and no backend',
    forbids: (from, to) => from.startsWith('cache/') && (isFace(to) || isBackend(to)),
    finds: ['cache/memory-store.ts', 'store/channels.ts'],
  },
  {
    name: 'what implements telemetry is known where it is opened',
    forbids: (from, to) =>
      to.startsWith('telemetry/opentelemetry/') &&
      !from.startsWith('telemetry/opentelemetry/') &&
      from !== 'telemetry/open.ts',
    finds: ['http/server.ts', 'telemetry/opentelemetry/start.ts'],
  },
  {
    name: 'what serves gets the schema that is served, which is the federated one if so configured',
    forbids: (from, to) => to === 'capabilities/schema.ts' && !/^app\/(?:cli\/schema|graphql)\.ts$/.test(from),
    finds: ['graphql/response-cache.ts', 'capabilities/schema.ts'],
  },
  {
    name: 'a gate is called from the pipeline only',
    forbids: (from, to) => to === 'graphql/stages.ts' && from !== 'graphql/pipeline.ts',
    finds: ['graphql/doors/use-pipeline.ts', 'graphql/stages.ts'],
  },
  {
    name: 'the client library imports nothing else of the project',
    forbids: (from, to) => from.startsWith('client/') && !to.startsWith('client/'),
    finds: ['client/watch.ts', 'kernel/errors.ts'],
  },
  {
    name: 'only the gateway imports app',
    forbids: (from, to) => to === 'app/app.ts' && from !== 'app/gateway.ts',
    finds: ['app/cli/keys.ts', 'app/app.ts'],
  },
  {
    // The one thing that starts below the top: what is wrong with a start is reported in one place.
    name: 'nothing below the top imports what is put together there',
    forbids: (from, to) => isTop(to) && !isTop(from),
    finds: ['store/database.ts', 'app/cli/report-error.ts'],
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

const folderOf = (file: string): string => file.split('/')[0] as string;

/** What a file imports that is there when it runs. */
const valueImport = /^(?:import|export)\s(?!type\b)[^;]*?from\s+'(\.[^']+)'/gm;

/** The folders of src/ that lead back to themselves by values; types are no part of the running program. */
function folderCycles(files: ReadonlyMap<string, string>): string[] {
  const folders = new Map<string, string[]>();
  for (const [file, source] of files) {
    const targets = [...withoutComments(source).matchAll(valueImport)].map(([, path]) =>
      folderOf(normalize(join(dirname(file), path as string))),
    );
    const from = folderOf(file);
    folders.set(from, [...(folders.get(from) ?? []), ...targets.filter((to) => to !== from)]);
  }
  return cycles(folders);
}

const readsEnvironment = (files: ReadonlyMap<string, string>): string[] =>
  [...files]
    .filter(([, source]) => /process\.env|\benv\b.*node:process/.test(withoutComments(source)))
    .map(([file]) => file);

test('every import leads to a file of the project', () => {
  const lost = [...graph].flatMap(([from, all]) =>
    all.filter((to) => !existsSync(join(src, to))).map((to) => `${from} → ${to}`),
  );
  expect(lost).toEqual([]);
  expect(graph.size).toBeGreaterThan(80);
  expect(graph.get('app/gateway.ts')).toContain('app/app.ts');
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
  expect(cycles(new Map([...graph, ['kernel/errors.ts', ['app/app.ts']]]))).not.toEqual([]);
});

test('src/ has at most 18 entries', () => {
  expect(readdirSync(src).length).toBeLessThanOrEqual(18);
});

test('no folders run in a circle, and some that did would be found', () => {
  expect(folderCycles(sources)).toEqual([]);
  const broken = new Map([...sources, ['kernel/errors.ts', "import { run } from '../store/database.ts';"]]);
  expect(folderCycles(broken)).toContain('store → kernel → store');
});

test('only app/config/ knows the environment; the programs hand it over', () => {
  const programs = ['app/cli/command.ts', 'app/cli/report-error.ts', 'app/gateway.ts', 'app/process.ts'];
  expect(readsEnvironment(sources)).toEqual(expect.arrayContaining(programs));
  // The entry tells Node.js, before anything is loaded, where to keep what it compiles.
  const entry = readFileSync(join(src, 'app/main.js'), 'utf8');
  expect(entry.match(/process\.env.*/g)).toEqual([expect.stringMatching(/^process\.env\.NODE_COMPILE_CACHE \?\?=/)]);
  expect(readsEnvironment(sources).filter((file) => !programs.includes(file))).toEqual([]);
  for (const file of programs) {
    const uses = sources.get(file)?.match(/process\.env/g)?.length;
    expect(uses).toBe(
      sources.get(file)?.match(/(?:readConfig|secretsIn|optionsOf|setInVain|readOptions)\((?:\w+, )?process\.env\)/g)
        ?.length,
    );
  }
  expect(readsEnvironment(new Map([['http/server.ts', "const level = process.env['LEVEL'];"]]))).toEqual([
    'http/server.ts',
  ]);
});

test('OpenTelemetry is loaded only where it is configured', () => {
  const users = [...sources].filter(([, source]) => withoutComments(source).includes("'@opentelemetry/"));
  expect(users.length).toBeGreaterThan(1);
  expect(users.map(([file]) => file).filter((file) => !file.startsWith('telemetry/opentelemetry/'))).toEqual([]);
  const opening = sources.get('telemetry/open.ts') ?? '';
  expect(opening).toContain("await import('./opentelemetry/start.ts')");
  expect(opening).not.toMatch(/from '\.\/opentelemetry/);
});

test('the client library has no dependencies: it imports nothing but types of graphql-ws', () => {
  const files = [...sources].filter(([file]) => file.startsWith('client/'));
  const imported = files.flatMap(([, source]) => withoutComments(source).match(/^.* from '[^.].*$/gm) ?? []);
  expect(imported.filter((line) => !/^import type \{.*\} from 'graphql-ws';$/.test(line))).toEqual([]);
  expect(imported.length).toBeGreaterThan(0);
});

test('node:http is imported for its types only: for its values, a start would load the undici of Node.js', () => {
  const importsValues = (source: string) =>
    /^(?:import|export)\s(?!type\b)[^;]*?from\s+'node:https?'/m.test(withoutComments(source));
  expect([...sources].flatMap(([file, source]) => (importsValues(source) ? [file] : []))).toEqual([]);
  expect(importsValues("import { type Server, createServer } from 'node:http';")).toBe(true);
  expect(importsValues("import type { Server } from 'node:http';")).toBe(false);
});

test('signals are listened to in one file, which sees those that have aborted', () => {
  const listens = (source: string) => /addEventListener\(\s*'abort'/.test(withoutComments(source));
  // The client library has no file of others.
  const own = [...sources].filter(([file]) => !file.startsWith('client/'));
  expect(own.flatMap(([file, source]) => (listens(source) ? [file] : []))).toEqual(['kernel/lib/abort-signal.ts']);
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
