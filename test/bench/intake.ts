/**
 * Events a second that a gateway takes in from a service, beside those that callers emit, in turn within each round. Both
 * come one a request from 16 connections, in the process of the gateway: take the ratio.
 *
 *   node test/bench/intake.ts      on SQLite, and on Postgres with TEST_POSTGRES_URL; ROUNDS and ROUND_MS say how long
 */
import { Pool } from 'undici';
import { secretOf } from '../../src/app/intake/open.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { databases } from '../support/databases.ts';
import { startFronting } from '../support/fronting.ts';
import { graphql } from '../support/gateway.ts';
import { testSecret } from '../support/webhooks.ts';
import { median } from './measure.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const roundMs = Number(process.env.ROUND_MS ?? 3_000);
const senders = 16;
interface Way {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: () => string;
  readonly isStored: (text: string) => boolean;
}

const unlimited = { REQUESTS_PER_MINUTE: '0', EVENTS_PER_SECOND: '0', LOG_LEVEL: 'warn' };

for (const dialect of databases) {
  const place = await dialect.withSchema();
  const { front, publicUrl, close } = await startFronting({ DATABASE_URL: place.url, ...unlimited, LOG_LEVEL: 'info' });
  const { key } = await front.workspace();
  const pool = new Pool(publicUrl, { connections: senders });
  let count = 0;
  const intake = {
    path: '/intake/message_received',
    headers: { 'x-postern-intake': secretOf(deriveKeys(testSecret)('intake')), 'content-type': 'application/json' },
    body: () => JSON.stringify({ account_id: 'account', message: `${count++}` }),
    isStored: (text: string) => text.includes('"event_id"'),
  };
  await pool.request({ ...intake, body: intake.body(), method: 'POST' }).then(({ body }) => body.dump());
  const { data } = await graphql(publicUrl, key, '{ accounts(first: 1) { nodes { accountId } } }');
  const query = `mutation ($data: JSON) { emitEvent(input: {
    accountId: "${data.accounts.nodes[0].accountId}", event: MESSAGE_RECEIVED, data: $data }) { __typename } }`;
  const emit = {
    path: '/graphql',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: () => JSON.stringify({ query, variables: { data: { message: `${count++}` } } }),
    isStored: (text: string) => text.includes('"EventEmitted"'),
  };
  const perSecond = async ({ body, isStored, ...way }: Way): Promise<number> => {
    const until = performance.now() + roundMs;
    let stored = 0;
    const send = async () => {
      while (performance.now() < until) {
        const response = await pool.request({ ...way, method: 'POST', body: body() });
        const text = await response.body.text();
        if (!isStored(text)) throw new Error(`An event was refused: ${text}`);
        stored += 1;
      }
    };
    await Promise.all(Array.from({ length: senders }, send));
    return (stored * 1_000) / roundMs;
  };
  const figures: { intake: number; emit: number }[] = [];
  // The first is the warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    figures.push({ intake: await perSecond(intake), emit: await perSecond(emit) });
  }
  const [taken, emitted] = (['intake', 'emit'] as const).map((way) =>
    median(figures.slice(1).map((each) => each[way])),
  );
  const ratio = (taken ?? 0) / (emitted ?? 1);
  process.stdout.write(
    `${dialect.name}: intake ${taken?.toFixed(0)}, emitEvent ${emitted?.toFixed(0)} events/s, ratio ${ratio.toFixed(2)}\n`,
  );
  await pool.close();
  await close();
  await place.drop();
}
