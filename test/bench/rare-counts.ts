/**
 * How long another workspace waits while one counts, and lists, what it has few of among 200,000 deliveries.
 *
 *   node test/bench/rare-counts.ts [deliveries]      on SQLite, and on Postgres with TEST_POSTGRES_URL
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { databases, type TestDialect } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { graphql } from '../support/gateway.ts';
import { analyze, fillingOf, subjects } from '../support/growth/fill.ts';
import { percentile } from './gateway.ts';

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Each of another time, so that none is read for another. */
const fiftyOf = (field: string) =>
  `{ ${Array.from({ length: 50 }, (_, n) => `a${n}: ${field.replace('(', `(since: "2020-01-01T00:00:${10 + (n % 50)}Z", `)}`).join(' ')} }`;

const attacks = {
  'counts of none': fiftyOf('deliveries(event: [MAIL_MOVED], first: 1) { totalCount }'),
  'counts of a tenth': fiftyOf('deliveries(event: [MESSAGE_READ], first: 1) { totalCount }'),
  'counts of all': fiftyOf('deliveries(first: 1) { totalCount }'),
  'pages of none': fiftyOf('deliveries(event: [MAIL_MOVED], first: 1) { nodes { deliveryId } }'),
};

interface Told {
  readonly address: string;
  readonly keys: readonly [string, string];
}

/** In a process of its own: the gateway has the event loop of the other one. */
async function attack({ address, keys: [attacker, other] }: Told): Promise<void> {
  for (const [name, query] of Object.entries(attacks)) {
    const waits: number[] = [];
    let isOver = false;
    const probe = (async () => {
      const asked: Promise<void>[] = [];
      for (let n = 0; !isOver; n += 1) {
        const began = performance.now();
        asked.push(
          graphql(
            address,
            other,
            n % 2 === 0 ? '{ viewer { accounts { nodes { name } } } }' : '{ webhooks(first: 5) { nodes { name } } }',
            {},
          ).then(
            ({ errors }) =>
              void (errors.length > 0 ? waits.push(Number.POSITIVE_INFINITY) : waits.push(performance.now() - began)),
          ),
        );
        await wait(50);
      }
      await Promise.all(asked);
    })();
    await wait(300);
    const began = performance.now();
    const { data, errors } = await graphql(address, attacker, query, {});
    const took = performance.now() - began;
    isOver = true;
    await probe;
    const first = Object.values(data ?? {})[0];
    say(
      `  ${name.padEnd(18)} answered after ${took.toFixed(0).padStart(6)} ms; others: worst ${Math.max(...waits)
        .toFixed(0)
        .padStart(
          6,
        )} ms, p99 ${percentile(waits, 99).toFixed(0).padStart(6)} ms, median ${percentile(waits, 50).toFixed(0)} ms of ${waits.length}; ${JSON.stringify(first)} ${errors.length === 0 ? '' : JSON.stringify(errors[0])}`,
    );
  }
}

async function measure(dialect: TestDialect, count: number): Promise<void> {
  const gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 } } });
  try {
    const webhookId = await gateway.webhook('https://hooks.example/');
    const filling = fillingOf(gateway, dialect.name === 'SQLite' ? 'sqlite' : 'postgres', webhookId);
    await subjects['finished deliveries'](filling, count);
    const tenth = sql`substr(id, 21, 1)`;
    for (let at = 0; at < 10; at += 1)
      await sql`update deliveries set state = ${['succeeded', 'failed', 'held'][at % 3]}, event = ${at === 5 ? 'message_read' : 'new_relation'} where ${tenth} = ${String(at)}`.execute(
        gateway.app.database,
      );
    await analyze(filling);
    const stranger = await gateway.workspace();
    await stranger.account();
    say(`${dialect.name}: ${count} deliveries`);
    const child = fork(import.meta.filename, ['attack']);
    child.send({ address: gateway.address, keys: [gateway.space.key, stranger.key] } satisfies Told);
    await once(child, 'exit');
  } finally {
    await gateway.close();
  }
}

if (process.argv[2] === 'attack') {
  const [told] = await once(process, 'message');
  await attack(told as Told);
  process.disconnect?.();
} else {
  for (const dialect of databases) await measure(dialect, Number(process.argv[2] ?? 200_000));
}
