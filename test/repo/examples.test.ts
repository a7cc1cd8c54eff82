/** The packages of `examples/`: what each of them is made of, and that what several have is the same in all. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages } from '../support/docs.ts';
import { derivedIn } from '../support/docs-tables/write.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const filesOf = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: (path) => /node_modules|\bgql$|__generated__/.test(path) }).sort();

interface Package {
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const packageAt = (folder: string): Package => JSON.parse(read(join(folder, 'package.json')));
const dependenciesOf = ({ dependencies, devDependencies }: Package) => ({ ...dependencies, ...devDependencies });

const examples = filesOf('examples/*/package.json').map((file) => dirname(file));

describe.each(examples)('%s', (folder) => {
  const own = packageAt(folder);

  test('is a package that is not published, runs with one command, and has exact versions', () => {
    expect(own.private).toBe(true);
    expect(own.scripts).toHaveProperty('start');
    // Tests run some of them only after another one.
    const { generate, start, typecheck, build, newest } = own.scripts ?? {};
    for (const [name, script] of Object.entries({ start, typecheck, build, newest }))
      if (generate !== undefined && script !== undefined)
        expect(own.scripts).toHaveProperty(`pre${name}`, 'npm run --silent generate');
    // npm only leaves out headings. Code Generator would not print why it fails.
    expect(generate ?? '').not.toContain('graphql-codegen --silent');
    for (const version of Object.values(dependenciesOf(own))) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('has the versions that the project and its tests have, so that nothing is downloaded twice', () => {
    const others = ['.', 'test/clients', ...examples.filter((other) => other !== folder)].map(packageAt);
    for (const [name, version] of Object.entries(dependenciesOf(own)))
      for (const other of others.map(dependenciesOf)) expect([undefined, version], name).toContain(other[name]);
  });

  test('depends on whatever its files import', () => {
    const imported = filesOf(`${folder}/**/*.{ts,tsx}`).flatMap((file) =>
      [...read(file).matchAll(/^(?:import|export|\}).* from '([^'.][^']*)';$/gm)].map(([, name = '']) => name),
    );
    const names = imported
      // The project itself is linked.
      .filter((name) => !name.startsWith('node:') && !/^postern(?:\/|$)/.test(name))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
    expect(Object.keys(dependenciesOf(own))).toEqual(expect.arrayContaining(names));
  });

  test('is quoted in the documentation', () => {
    const quoted = [...pages.values()].flatMap(derivedIn).filter((name) => name.startsWith(`${folder}/`));
    expect(quoted).not.toEqual([]);
  });

  test('has its packages in a lock file that names no registry', () => {
    const lock = read(join(folder, 'package-lock.json'));
    expect(Object.keys(JSON.parse(lock).packages).length).toBeGreaterThan(1);
    expect(lock).not.toContain('"resolved": "http');
  });

  test('listens on the loopback interface only', () => {
    for (const file of filesOf(`${folder}/**/*.{ts,tsx}`)) {
      // The rest of the statement, which has the options.
      const listening = [
        ...read(file).matchAll(/\b(?:createServer|listen|serve|startStandaloneServer)\((?!\))([^;]*);/g),
      ].map(([, to]) => to);
      for (const to of listening) expect(to, file).toContain('127.0.0.1');
    }
  });
});

/** What the pages have beside their clients. */
const views = ['app', 'deliveries', 'failure', 'feed', 'publish'].map((name) => `src/${name}.tsx`);
const ofPages = ['choice.ts', 'delivery-list.ts', 'gateway.ts', 'issue-texts.ts', 'operations.ts', 'style.css'].map(
  (name) => `src/${name}`,
);
test.each(['settings.ts', 'postern.ts', 'tokens.ts', 'visitors.ts', ...views, ...ofPages])(
  '%s is the same in every example that has it',
  (name) => {
    const texts = examples.map((folder) => join(folder, name)).filter((file) => existsSync(join(root, file)));
    expect(texts.length).toBeGreaterThan(0);
    for (const file of texts) expect(read(file), file).toBe(read(texts[0] ?? ''));
  },
);

test('vite.config.ts is the same in every example that has it, but for the plugin of Relay', () => {
  const withoutRelay = (text: string) =>
    text.replace("import relay from 'vite-plugin-relay';\n", '').replace('[react(), relay]', '[react()]');
  const texts = filesOf('examples/*/vite.config.ts').map((file) => withoutRelay(read(file)));
  expect(texts).toEqual(texts.map(() => texts[0]));
  expect(texts.length).toBeGreaterThan(1);
});

test('every variable that an example reads stands in .env.example', () => {
  const variables = examples.flatMap((folder) =>
    filesOf(`${folder}/*.ts`).flatMap((file) =>
      [...read(file).matchAll(/process\.env\.(\w+)|required\('(\w+)'\)/g)].map(([, a, b]) => a ?? b),
    ),
  );
  expect(variables).toEqual(expect.arrayContaining(['POSTERN_URL', 'POSTERN_KEY']));
  for (const name of new Set(variables)) expect(read('examples/.env.example')).toMatch(new RegExp(`^${name}=`, 'm'));
});
