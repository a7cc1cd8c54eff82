/** The Dockerfile: what it copies, and as whom its image runs. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentationPages, folders } from '../../src/pages/docs/page.ts';
import { isInContext, parseDockerfile } from '../support/dockerfile.ts';

const copied = parseDockerfile(readFileSync('Dockerfile', 'utf8'))
  .filter(({ name }) => name === 'COPY')
  .flatMap(({ text }) => text.split(' ').slice(0, -1));

test('the build context has what the Dockerfile copies, and no data, secrets or modules', () => {
  const dockerignore = readFileSync('.dockerignore', 'utf8');
  expect(copied).toContain('src');
  expect(copied.filter((path) => !isInContext(dockerignore, path))).toEqual([]);
  expect(['.data', '.git', 'node_modules', '.env'].filter((path) => isInContext(dockerignore, path))).toEqual([]);
});

test('the image has every file of the documentation', () => {
  const served = [...Object.keys(documentationPages), ...Object.values(folders).map(({ folder }) => folder)];
  const isCopied = (path: string) => copied.some((each) => path === each || path.startsWith(`${each}/`));
  expect(served.filter((path) => !isCopied(path))).toEqual([]);
});

test('the user is a number, and its folder is also for the group 0', () => {
  const instructions = parseDockerfile(readFileSync('Dockerfile', 'utf8'));
  expect(instructions.filter(({ name }) => name === 'USER').map(({ text }) => text)).toEqual(['1000']);
  const [, owner, group, mode] =
    instructions
      .map(({ text }) => /install --directory --owner=(\S+) --group=(\S+) --mode=(\S+) \/data/.exec(text))
      .find((found) => found !== null) ?? [];
  expect({ owner, group, mode }).toEqual({ owner: '1000', group: '0', mode: '770' });
});
