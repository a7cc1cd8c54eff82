/** The curl lines of the page of REST, run as they stand there but for the address. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { endpoints } from '../../src/rest/endpoints.ts';
import { linesOfSection, pageAt } from '../support/docs.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { curl } from '../support/servers.ts';

const commands = linesOfSection('REST', 'curl');

/** What a line asks for, as `PATCH /v1/pnet/jobs/2001`. */
const asked = (line: string): string => {
  const method = /-X (\w+)/.exec(line)?.[1] ?? 'GET';
  return `${method} ${/:4000(\/[^\s'?]*)/.exec(line)?.[1]}`;
};

test.each(endpoints)('the page has a line for $method $path', ({ method, path }) => {
  const pattern = new RegExp(`^${method} /v1${path.replace(/\{\w+\}/g, '[^/]+')}$`);
  expect(commands.filter((line) => pattern.test(asked(line)))).toHaveLength(1);
});

test('the README has the address of the description', async () => {
  const [address = ''] = /http:\/\/127\.0\.0\.1:4000\/\S+\.json/.exec(pageAt('README.md')) ?? [];
  const gateway = await startGateway();
  onTestFinished(gateway.close);
  const response = await fetch(address.replace('http://127.0.0.1:4000', gateway.address));
  expect(await response.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
});

describe.skipIf(curl === undefined)('run one after the other', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway({ environment: { DEMO: 'on', LOG_LEVEL: 'silent' } });
    // Where the lines look for the key: in the folder that the gateway was started from.
    await mkdir(join(gateway.directory, '.data'));
    await writeFile(join(gateway.directory, '.data/demo-key'), await readFile(join(gateway.directory, 'demo-key')));
  });
  afterAll(() => gateway.close());

  test('each of them succeeds', async () => {
    const objects: string[] = [];
    for (const line of commands) {
      const here = line.replace('http://127.0.0.1:4000', gateway.address);
      const { stdout } = await promisify(execFile)('sh', ['-c', here], { cwd: gateway.directory });
      objects.push(JSON.parse(stdout).object ?? stdout);
    }
    expect(objects).toEqual([
      'PnetJobPostingEdited',
      'PostList',
      'WebhookList',
      'WebhookCreated',
      'WebhookDeleted',
      'PnetJobPostingPublishCheckpoint',
      'PnetJobPostingPublished',
    ]);
  });
});
