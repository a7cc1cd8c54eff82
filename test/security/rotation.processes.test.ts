/** The secret of a deployment and its database: a wrong one is noticed, and it can be changed. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openToken } from '../../src/auth/account-repository.ts';
import { ConfigError } from '../../src/kernel/config-error.ts';
import { keyringOf } from '../../src/kernel/secrets/secret.ts';
import { vaultOf } from '../../src/kernel/secrets/vault.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { runProcess, temporaryDirectory } from '../support/process.ts';

const former = 'the secret that was used at the beginning';
const next = 'the secret that is used from now on for ever';

describe.each(databases)('the secret of a database on $name', ({ location }) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await location();
  });
  afterEach(() => place.drop());

  const start = (environment: Record<string, string>) =>
    startGateway({ environment: { DATABASE_URL: place.url, ...environment } });

  /** Runs a gateway for a while. */
  async function during<Result>(environment: Record<string, string>, work: (gateway: Gateway) => Promise<Result>) {
    const gateway = await start(environment);
    try {
      return await work(gateway);
    } finally {
      await gateway.close();
    }
  }

  /** An account with a sealed token, a webhook with a sealed header, and a cursor that leads to it. */
  async function fill(gateway: Gateway) {
    const { key } = await gateway.workspace();
    const create = `mutation { createWebhook(input: { requestUrl: "https://hooks.example/in", source: USERS,
      headers: [{ key: "x-token", value: "sealed" }] }) { __typename } }`;
    for (let count = 0; count < 2; count += 1) {
      expect((await graphql(gateway.address, key, create)).errors).toEqual([]);
    }
    const { data } = await graphql(gateway.address, key, '{ webhooks(first: 1) { pageInfo { endCursor } } }');
    const first = await fetch(`${gateway.address}/v1/webhooks?limit=1`, { headers: { 'x-api-key': key } });
    const { cursor } = (await first.json()) as { cursor: string };
    await gateway.app.connectAccount({ workspace: 'Acme', type: 'PNET', token: 'sealed' });
    return { key, after: data.webhooks.pageInfo.endCursor as string, cursor };
  }

  const read = ({ address }: Gateway, key: string) =>
    graphql(address, key, '{ webhooks { nodes { webhookId headers { value } } } }');

  test.each([
    ['before', next],
    ['of a later start', former],
  ])('is noticed where another one was used %s', async (_when, wrong) => {
    await during({ SECRET: wrong === next ? former : next }, fill);
    const refusal = await start({ SECRET: wrong }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ConfigError);
    expect((refusal as Error).message).toMatch(/^SECRET is not the one that this database was used with: restore/);
    expect((refusal as Error).message).not.toContain(wrong);
  });

  test('is noticed where the database is from before it was stored, by what it has sealed', async () => {
    await during({ SECRET: former }, async (gateway) => {
      await fill(gateway);
      await gateway.app.database.deleteFrom('deployment').execute();
    });
    await expect(start({ SECRET: next })).rejects.toThrow('SECRET is not the one that this database was used with');
    await during({ SECRET: former }, async () => {});
    await expect(start({ SECRET: next })).rejects.toThrow('SECRET is not the one that this database was used with');
  });

  test('processes that start together on an empty database agree on one', async () => {
    const started = await Promise.allSettled([start({ SECRET: former }), start({ SECRET: next })]);
    const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const gateway of running) await gateway.close();
    expect(running).toHaveLength(1);
  });

  test('can be changed: both are accepted meanwhile, and then the former one is not needed any more', async () => {
    const { key, after, cursor } = await during({ SECRET: former }, fill);
    // Processes with either of them as the current one run side by side.
    const running = await start({ SECRET: former, SECRET_PREVIOUS: next });
    const changed = await start({ SECRET: next, SECRET_PREVIOUS: former });
    try {
      for (const gateway of [running, changed]) {
        const { data, errors } = await read(gateway, key);
        expect(errors).toEqual([]);
        expect(data.webhooks.nodes.map(({ headers }: { headers: unknown }) => headers)).toEqual([
          [{ value: 'sealed' }],
          [{ value: 'sealed' }],
        ]);
        const rest = await graphql(gateway.address, key, `{ webhooks(after: "${after}") { nodes { webhookId } } }`);
        expect(rest.errors).toEqual([]);
        expect(rest.data.webhooks.nodes).toHaveLength(1);
        const page = await fetch(`${gateway.address}/v1/webhooks?cursor=${encodeURIComponent(cursor)}`, {
          headers: { 'x-api-key': key },
        });
        expect(page.status).toBe(200);
      }
      // This one is sealed with the former secret, after the other process has sealed everything anew.
      await fill(running);
    } finally {
      await running.close();
      await changed.close();
    }
    await during({ SECRET: next, SECRET_PREVIOUS: former }, async () => {});
    await during({ SECRET: next }, async (gateway) => {
      const { errors } = await read(gateway, key);
      expect(errors).toEqual([]);
      const vault = vaultOf(keyringOf({ current: next, previous: undefined }), randomBytes);
      const accounts = await gateway.app.database.selectFrom('accounts').select(['id', 'session']).execute();
      expect(accounts.map((account) => openToken(vault, account))).toEqual(['sealed', 'sealed']);
      for (const webhook of await gateway.app.database.selectFrom('webhooks').select('id').execute()) {
        const secret = `mutation { rotateWebhookSecret(input: { webhookId: "${webhook.id}" }) { __typename } }`;
        const { data } = await graphql(gateway.address, key, secret);
        expect(data.rotateWebhookSecret.__typename).toMatch(/^(?:WebhookSecret|RequestError)$/);
      }
    });
    await expect(start({ SECRET: former })).rejects.toThrow('SECRET is not the one');
  });
});

test('a process with a wrong secret ends, and says so in one line; so does one whose file of the secret is lost', async () => {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const DATABASE_URL = `sqlite:${join(directory.path, 'postern.db')}`;
  const gateway = await startGateway({ environment: { DATABASE_URL, SECRET: former } });
  await gateway.close();
  const ended = await runProcess('src/app/main.js', [], { PORT: '0', DATABASE_URL, SECRET: next });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^SECRET is not the one that this database was used with: .+\n$/);
  await writeFile(join(directory.path, 'secret'), next);
  const lost = await runProcess('src/app/main.js', [], { PORT: '0', DATABASE_URL });
  expect(lost.code).toBe(1);
  expect(lost.stderr).toContain(`The secret in ${join(directory.path, 'secret')} is not the one`);
});
