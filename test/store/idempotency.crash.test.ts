/** Requests with an `Idempotency-Key` whose process is killed while they are carried out. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { jobScenarioNames } from '../../src/providers/sandbox/networks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { runProcess, startProcess, temporaryDirectory } from '../support/process.ts';
import { rest } from '../support/rest.ts';
import { json, startStub } from '../support/stub.ts';

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
      const process = startProcess('src/main.ts', [], own, directory.path);
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
      await vi.waitFor(() => expect(service.received).toHaveLength(1), 5_000);
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
      await vi.waitFor(async () => {
        const job = database.selectFrom('jobs').select('publication').where('id', '=', slow);
        expect(await job.executeTakeFirst()).toEqual({ publication: 'unknown' });
      }, 5_000);
      await first.kill();
      expect(await cutOff).toBe('cut off');

      const second = await start();
      expect((await publish(second, 'once')).body).toEqual(outcomeUnknown);
      // The network of the sandbox forgets with its process: it says that the draft was not published.
      expect((await publish(second, 'another')).body).toMatchObject({ object: 'PnetJobPostingPublished' });
    });
  },
);
