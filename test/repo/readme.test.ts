/** The pages of the documentation: their sizes, their links, and what their tables and pictures say of the code. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headingsOf, pageAt, pages, sectionOf } from '../support/docs.ts';
import { derivedIn, tables, withDerived } from '../support/docs-tables/write.ts';

const root = new URL('../../', import.meta.url);

/** The part of an address by which a heading is linked to. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The links of a page within the repository: to another page or a file, or to a heading of one. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = '']) => target);

/** The links of a page that lead neither to a file nor to a heading. */
const deadLinks = (path: string, text: string): string[] =>
  linksOf(text).filter((link) => {
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    const page = target === path ? text : pages.get(target);
    if (anchor !== undefined)
      return !headingsOf(page ?? '')
        .map(anchorOf)
        .includes(anchor);
    return !existsSync(new URL(target, root));
  });

describe('a page', () => {
  it.each([...pages.keys()])('%s can be read in one sitting', (path) => {
    // Nobody reads the list of what has broken: it is searched.
    const text = pageAt(path).replace(/(?<=^### Breaking\n\n)(?:- .*\n)*/m, '');
    const count = text.split('\n').length - 1;
    expect(count).toBeLessThanOrEqual(path === 'README.md' ? 250 : 300);
  });

  it.each([...pages])('%s has a title, headings that differ, and links that lead somewhere', (path, text) => {
    const headings = headingsOf(text);
    expect(text).toMatch(/^# /);
    expect(new Set(headings).size).toBe(headings.length);
    expect(deadLinks(path, text)).toEqual([]);
  });

  it('would be found to have a dead link', () => {
    const text = '# A\n[there](#nowhere) [and](src/nothing.ts) [here](#a) [or](docs/use/limits.md#nothing)';
    expect(deadLinks('README.md', text)).toEqual(['#nowhere', 'src/nothing.ts', 'docs/use/limits.md#nothing']);
  });

  it('is one click from the README', () => {
    const linked = new Set(linksOf(pageAt('README.md')).map((link) => link.split('#')[0]));
    expect([...pages.keys()].filter((path) => path !== 'README.md' && !linked.has(path))).toEqual([]);
  });
});

describe('the documentation', () => {
  it.each([...pages])(
    '%s has its tables as the code has them, and files of the examples as they are',
    (_path, text) => {
      // `npm run docs` writes them.
      expect(withDerived(text)).toBe(text);
    },
  );

  it('has each table once', () => {
    const named = [...pages.values()].flatMap(derivedIn).filter((name) => !name.startsWith('examples/'));
    expect(named.sort()).toEqual(Object.keys(tables).sort());
  });

  it('would be found to lack a row', () => {
    const page = pageAt('docs/use/sandbox.md');
    expect(withDerived(page.replace(/\| `1007` .*\n/, ''))).toBe(page);
    expect(() => withDerived('<!-- npm run docs: nothing -->\n<!-- end -->')).toThrow('There is no table "nothing"');
  });

  it.each([...pages])('%s names files that exist', (_path, text) => {
    const named = [...text.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    // A recipe names files that its reader makes.
    expect(named.filter((file) => !/clipnet/.test(file) && !existsSync(new URL(file, root)))).toEqual([]);
  });

  it('draws folders that exist', async () => {
    const drawing = await readFile(new URL('docs/images/architecture.svg', root), 'utf8');
    const drawn = [...drawing.matchAll(/>(\w+)\/<\/text>/g)].map(([, name = '']) => name);
    expect(drawn).toEqual(expect.arrayContaining(['graphql', 'store', 'delivery']));
    expect(drawn.filter((name) => !existsSync(new URL(`src/${name}`, root)))).toEqual([]);
  });

  it('names every licence of what a server installs', async () => {
    const lock = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8'));
    const installed = Object.entries<{ license?: string; dev?: boolean }>(lock.packages).filter(
      ([name, { dev }]) => name !== '' && dev !== true,
    );
    const licences = new Set(installed.map(([name, { license }]) => license ?? name));
    const [, named = ''] = /all permissive: (.*)\.$/m.exec(sectionOf('Licence')) ?? [];
    expect(named.split(/, | and /).sort()).toEqual([...licences].sort());
  });
});
