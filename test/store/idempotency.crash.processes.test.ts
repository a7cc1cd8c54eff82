/** Requests with an `Idempotency-Key` whose process is killed while they are carried out. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { jobScenarioNames } from '../../src/providers/sandbox/networks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { runProcess, startProcess, temporaryDirectory } from '../support/process.ts';
import { rest } from '../support/rest.ts';
import { json, startStub } from '../support/stub.ts';

const rounds = 2;
const atOnce = 6;
const killAfterMs = 400;

/** A creation under its name as the key. */
interface Creation {
  readonly name: string;
  create(address: string, apiKey: string, name: string): Promise<{ readonly id: string } | unknown>;
}

const mutation =
  (input: (name: string) => string): Creation['create'] =>
  async (address, apiKey, name) => {
    const query = `mutation { created: ${input(name)} }`;
    const { body } = await rest(address, apiKey, 'POST', '/graphql', { body: { query } });
    return body.data?.created?.id === undefined ? body : { id: body.data.created.id };
  };

const target = 'https://hooks.example/';
const creations: readonly Creation['create'][] = [
  mutation(
    (
      name,
    ) => `createWebhook(input: { name: "${name}", idempotencyKey: "${name}", requestUrl: "${target}", source: USERS }) {
      ... on WebhookCreated { id: webhookId } }`,
  ),
  mutation(
    (name) => `createTriggerWebhook(input: { name: "${name}", idempotencyKey: "${name}", requestUrl: "${target}",
      trigger: { name: "Go", icon: SYNC_ALT_ICON, context: CHAT } }) { ... on WebhookCreated { id: webhookId } }`,
  ),
  mutation(
    (name) => `createJobDraft(input: { accountId: "pnet-----------------A", idempotencyKey: "${name}",
      posting: { jobTitle: { text: "${name}" } } }) { ... on PnetJobPostingCreated { id: jobId } }`,
  ),
  async (address, apiKey, name) => {
    const body = { name, request_url: target, source: 'users' };
    const headers = { 'idempotency-key': name };
    const response = await rest(address, apiKey, 'POST', '/v1/webhooks', { body, headers });
    return response.status === 201 ? { id: response.body.webhook_id } : response.body;
  },
];

/** The names of all webhooks and drafts whose name begins so. */
async function createdNames({ location }: TestDatabase, start: string): Promise<string[]> {
  const database = await openDatabase(location);
  const webhooks = await database.selectFrom('webhooks').select('name').execute();
  const jobs = await database.selectFrom('jobs').select('fields').where('state', '=', 'draft').execute();
  await database.destroy();
  const titles = jobs.map(({ fields }) => JSON.parse(String(fields)).job_title.text);
  return [...webhooks.map(({ name }) => name), ...titles].filter((name) => name?.startsWith(start));
}

describe.each(databases)(
  'a process that is killed in the middle of a request, on $name',
  { timeout: 40_000 },
  ({ location }) => {
    let place: TestDatabase;
    let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

    beforeEach(async () => {
      place = await location();
      directory = await temporaryDirectory();
    });
    afterEach(async () => {
      await place.drop();
      await directory[Symbol.asyncDispose]();
    });

    async function start(environment: Record<string, string> = {}) {
      const own = { PORT: '0', DATABASE_URL: place.url, SECRET: 'x'.repeat(32), ...environment };
      const process = startProcess('src/app/main.js', [], own, directory.path);
      onTestFinished(() => void process.child.kill('SIGKILL'));
      const [, address] = await process.line(/(http:\/\/127\.0\.0\.1:\d+)\/graphql/);
      const kill = async () => {
        process.child.kill('SIGKILL');
        await process.ended;
      };
      return { ...process, address: address as string, kill };
    }

    const publishing =
      (key: string, accountId: string, draftId: string) => (process: { address: string }, idempotencyKey: string) =>
        rest(process.address, key, 'POST', `/v1/pnet/jobs/${draftId}/publish`, {
          body: { account_id: accountId, mode: 'FREE' },
          headers: { 'idempotency-key': idempotencyKey },
        });

    /** What a caller hears whose earlier request may have been carried out. */
    const outcomeUnknown = expect.objectContaining({
      type: 'errors/request_timeout',
      status: 504,
      detail: expect.stringContaining('may have been carried out'),
    });

    test('the service is not called again: the caller soon gets the error of an unknown outcome', async () => {
      const args = ['create', '--workspace', 'Acme', '--name', 'k'];
      const key = (await runProcess('src/app/cli/keys.ts', args, { DATABASE_URL: place.url })).stdout.trim();
      const publish = publishing(key, 'a', '7');
      const service = await startStub(() => {});
      const front = { UPSTREAM_URL: service.url, UPSTREAM_API_KEY: 'ours' };
      const first = await start(front);
      const cutOff = publish(first, 'once').catch(() => 'cut off');
      await expect.poll(() => service.received).toHaveLength(1);
      await first.kill();
      expect(await cutOff).toBe('cut off');

      service.respond = (_request, response) =>
        json(response, 200, { object: 'PnetJobPostingPublished', job_state: 'active', job_id: '7' });
      const second = await start(front);
      const started = performance.now();
      for (let time = 0; time < 2; time += 1) expect((await publish(second, 'once')).body).toEqual(outcomeUnknown);
      expect(performance.now() - started).toBeLessThan(8_000);
      expect(service.received).toHaveLength(1);
      // Who has looked may act under another key.
      expect((await publish(second, 'another')).status).toBe(200);
      expect(service.received).toHaveLength(2);
    });

    test('our own backend does not repeat a command either, and looks up its outcome under the next key', async () => {
      const first = await start({ DEMO: 'on' });
      const [, file] = await first.line(/its API key is in ([^"]+)/);
      const key = (await readFile(resolve(directory.path, file as string), 'utf8')).trim();
      const slow = String(1001 + jobScenarioNames.indexOf('slow'));
      const publish = publishing(key, 'pnet-----------------A', slow);
      const database = await openDatabase(place.location);
      onTestFinished(() => database.destroy());
      const cutOff = publish(first, 'once').catch(() => 'cut off');
      const job = database.selectFrom('jobs').select('publication').where('id', '=', slow);
      await expect.poll(() => job.executeTakeFirst()).toEqual({ publication: 'unknown' });
      await first.kill();
      expect(await cutOff).toBe('cut off');

      const second = await start();
      expect((await publish(second, 'once')).body).toEqual(outcomeUnknown);
      // The network of the sandbox forgets with its process: it says that the draft was not published.
      expect((await publish(second, 'another')).body).toMatchObject({ object: 'PnetJobPostingPublished' });
    });

    test('a creation is repeated until it is there, once', { timeout: 120_000 }, async () => {
      const limits = { REQUESTS_PER_MINUTE: '0', WEBHOOKS_PER_WORKSPACE: '0' };
      let process = await start({ DEMO: 'on', ...limits });
      const [, file] = await process.line(/its API key is in ([^"]+)/);
      const apiKey = (await readFile(resolve(directory.path, file as string), 'utf8')).trim();
      for (let round = 0; round < rounds; round += 1) {
        const begun: Creation[] = [];
        const { address } = process;
        const ended = Array.from({ length: atOnce }, async (_, worker) => {
          for (let n = 0; ; n += 1) {
            const create = creations[(worker + n) % creations.length] as Creation['create'];
            const name = `${round} ${worker} ${n}`;
            begun.push({ create, name });
            if ((await create(address, apiKey, name).catch(() => null)) === null) return;
          }
        });
        await sleep(killAfterMs + 37 * round);
        await expect.poll(() => begun.length).toBeGreaterThan(atOnce);
        await process.kill();
        await Promise.all(ended);
        process = await start(limits);
        const { address: after } = process;
        const results = await Promise.all(begun.map(({ create, name }) => create(after, apiKey, name)));
        expect(results.filter((result) => !(result instanceof Object && 'id' in result))).toEqual([]);
        const again = await Promise.all(begun.map(({ create, name }) => create(after, apiKey, name)));
        expect(again).toEqual(results);
        expect(begun.length).toBeGreaterThan(atOnce);
        const created = await createdNames(place, `${round} `);
        expect(created.toSorted()).toEqual(begun.map(({ name }) => name).toSorted());
      }
    });
  },
);
