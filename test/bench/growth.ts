/**
 * Whether cost grows with what is not concerned: each operation on one webhook, beside few and beside many other rows.
 *
 *   node test/bench/growth.ts [rounds] [few] [subject …]      on SQLite, and on Postgres with TEST_POSTGRES_URL
 *
 * Both sizes take turns, and the ratio is that of the medians.
 */
import { databases, type TestDialect } from '../support/databases.ts';
import { startDelivering } from '../support/deliveries.ts';
import { analyze, fillingOf, subjects } from '../support/growth/fill.ts';
import { runOperations, runQueue, type Subject } from '../support/growth/operations.ts';
import { percentile } from './gateway.ts';

const rounds = Number(process.argv[2] ?? 40);
const few = Number(process.argv[3] ?? 1_000);
const many: Readonly<Record<keyof typeof subjects, number>> = {
  webhooks: 100_000,
  'waiting destinations': 100_000,
  'paused destinations': 100_000,
  'finished deliveries': 1_000_000,
  'waiting deliveries': 1_000_000,
};
const chosen = process.argv.slice(4);
const say = (text: string) => void process.stdout.write(`${text}\n`);

async function prepare(dialect: TestDialect, name: keyof typeof subjects, count: number): Promise<Subject> {
  // A worker without slots claims nothing itself.
  const gateway = await startDelivering({
    dialect,
    delivery: { limits: { slots: 0 } },
    environment: { WEBHOOKS_PER_WORKSPACE: '1000000' },
  });
  const kind = dialect.name === 'SQLite' ? 'sqlite' : 'postgres';
  const webhookId = await gateway.webhook('https://hooks.example/', {
    account_ids: JSON.stringify([gateway.accountId]),
  });
  const filling = fillingOf(gateway, kind, webhookId);
  const began = performance.now();
  await subjects[name](filling, count);
  await analyze(filling);
  // What is due for paused destinations is set aside, five hundred of them at a time.
  for (let n = 0; n < count / 400; n += 1) await runQueue({ gateway, webhookId }, [], webhookId, true);
  say(`  filled with ${count} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return { gateway, webhookId };
}

for (const dialect of databases) {
  for (const [name, count] of Object.entries(many) as [keyof typeof subjects, number][]) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    say(`${dialect.name}: ${name}, ${few} and ${count}`);
    const sizes = [await prepare(dialect, name, few), await prepare(dialect, name, count)];
    const times = sizes.map(() => new Map<string, number[]>());
    for (let round = -3; round < rounds; round += 1) {
      for (const [place, subject] of sizes.entries()) {
        for (const [operation, ms] of Object.entries(await runOperations(subject))) {
          const known = times[place]?.get(operation) ?? [];
          if (round >= 0) known.push(ms);
          times[place]?.set(operation, known);
        }
      }
    }
    for (const operation of times[0]?.keys() ?? []) {
      const [a = Number.NaN, b = Number.NaN] = times.map((of) => percentile(of.get(operation) ?? [], 50));
      say(
        `  ${operation.padEnd(30)} ${a.toFixed(2).padStart(9)} ms ${b.toFixed(2).padStart(9)} ms   × ${(b / a).toFixed(2)}`,
      );
    }
    for (const { gateway } of sizes) await gateway.close();
  }
}
