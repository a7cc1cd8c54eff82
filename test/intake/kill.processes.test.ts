/** What the intake has acknowledged is stored, whatever happens to the gateway next, and stored once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { secretOf } from '../../src/app/intake/open.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { writeSchema } from '../support/databases.ts';
import { freePort } from '../support/fronting.ts';
import { startGateway } from '../support/gateway.ts';
import { temporaryDirectory } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { testSecret } from '../support/webhooks.ts';

const kills = 4;
const senders = 4;
const headers = {
  'x-postern-intake': secretOf(deriveKeys(testSecret)('intake')),
  'content-type': 'application/json',
};

test('no acknowledged event is lost when the gateway is killed', { timeout: 120_000 }, async () => {
  const service = await startGateway();
  const { key } = await service.workspace();
  await using directory = await temporaryDirectory();
  const file = join(directory.path, 'front.db');
  await writeSchema(file);
  const port = await freePort();
  const env = {
    ...process.env,
    PORT: `${port}`,
    DATABASE_URL: `sqlite:${file}`,
    SECRET: testSecret,
    UPSTREAM_URL: service.address,
    UPSTREAM_API_KEY: key,
    WEBHOOKS: 'own',
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTAKE_EVENTS: 'ok',
    EVENTS_PER_SECOND: '0',
    LOG_LEVEL: 'silent',
  };
  let gateway: ChildProcess | undefined;
  onTestFinished(async () => {
    gateway?.kill('SIGKILL');
    await service.close();
  });
  const start = async () => {
    gateway = spawn(process.execPath, ['src/app/main.js'], { env, stdio: 'ignore' });
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/livez`).then(
        () => true,
        () => false,
      );
    while (!(await isUp())) await sleep(20);
  };

  const acknowledged: string[] = [];
  let isOver = false;
  const post = (message: string) =>
    fetch(`http://127.0.0.1:${port}/intake/message_received`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ account_id: 'account', message }),
    });
  /** As a service does: the same again until it is acknowledged. */
  const send = async (sender: number) => {
    for (let n = 0; !isOver; n += 1) {
      const message = `${sender}-${n}`;
      const isTaken = () =>
        post(message).then(
          ({ status }) => status === 200,
          () => false,
        );
      while (!isOver) {
        if (await isTaken()) {
          acknowledged.push(message);
          break;
        }
        await sleep(10);
      }
    }
  };
  await start();
  const sending = Array.from({ length: senders }, (_, sender) => send(sender));
  const random = seededRandom(1);
  for (let left = kills; left > 0; left -= 1) {
    const [before, more] = [acknowledged.length, 5 + random.int(40)];
    while (acknowledged.length < before + more) await sleep(5);
    await sleep(random.int(20));
    gateway?.kill('SIGKILL');
    if (gateway !== undefined) await once(gateway, 'exit');
    await start();
  }
  isOver = true;
  await Promise.all(sending);

  const database = await openDatabase({ kind: 'sqlite', file }, migrations);
  onTestFinished(() => database.destroy());
  const stored = (await database.selectFrom('events').select('data').execute()).map(
    ({ data }) => JSON.parse(data).message,
  );
  expect(acknowledged.length).toBeGreaterThan(kills * 5);
  expect(stored).toEqual(expect.arrayContaining(acknowledged));
  expect(new Set(stored).size).toBe(stored.length);
});
