/** Kills a delivering gateway again and again, and counts how the events that it had acknowledged arrived. */
import type { ChildProcess } from 'node:child_process';
import { benchGateway } from '../bench/gateway.ts';
import { createLedger, type Lateness } from './crash-ledger.ts';
import { createCrashProcesses } from './crash-processes.ts';
import type { TestDialect } from './databases.ts';
import { startReceiver } from './receiver.ts';

export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Requests that arrived, further ones for the same event included. */
  readonly arrived: number;
  /** Acknowledged events that never arrived: must be none. */
  readonly lost: number;
  /** Deliveries that arrived more than once, counting each further time. */
  readonly duplicates: number;
  /** Deliveries that were claimed at the moments of the kills: as many may arrive twice. */
  readonly inFlight: number;
  /** Milliseconds from the acknowledgement of an event to its first arrival. */
  readonly lateness: Lateness;
}

export interface CrashOptions {
  readonly kills: number;
  /** Processes at once on the database; one of them is killed each time, in turn. */
  readonly workers: number;
  readonly random: () => number;
  /** The least and the most time between two kills. */
  readonly everyMs?: readonly [number, number];
  readonly leaseMs?: number;
  /** How long each of the four emitters of a process waits after an event. Without, they wait for a moment now and then. */
  readonly pauseMs?: number;
  /** Is called after each kill. */
  readonly progress?: (soFar: CrashProgress) => void;
}

export interface CrashProgress {
  readonly kills: number;
  readonly acknowledged: number;
  readonly arrived: number;
  readonly duplicates: number;
}

export async function crashRun(
  dialect: TestDialect,
  {
    kills,
    workers,
    random,
    everyMs: [least, most] = [50, 350],
    leaseMs = 5_000,
    pauseMs = 0,
    progress = () => {},
  }: CrashOptions,
): Promise<CrashReport> {
  const receiver = await startReceiver();
  const ledger = createLedger();
  receiver.answer = ({ body }, response) => {
    const { n } = JSON.parse(body) as { n: string };
    ledger.arrive(n, performance.now());
    receiver.received.length = 0;
    // Some answers take their time, so that a kill finds requests in every state.
    if (random() < 0.1) setTimeout(() => response.end(), 30);
    else response.end();
  };
  const place = await dialect.withSchema();
  const setUp = await benchGateway(place.url);
  await setUp.webhook(receiver.address);
  await setUp.close();

  const processes = await createCrashProcesses({ url: place.url, leaseMs, pauseMs }, (id) =>
    ledger.acknowledge(id, performance.now()),
  );
  const observer = await benchGateway(place.url, { limits: { slots: 0 }, pollMs: 1_000_000 });
  /** Each delivery with the claim token that it had at a kill: the requests of the dead, not what others had left. */
  const inFlight = new Set<string>();
  const look = async () => {
    const rows = await observer.app.database
      .selectFrom('deliveries')
      .select(['id', 'claim_token'])
      .where('claim_token', 'is not', null)
      .where('state', '=', 'pending')
      .execute();
    for (const { id, claim_token } of rows) inFlight.add(`${id} ${claim_token}`);
  };
  let running: ChildProcess[] = [];
  for (let n = 0; n < workers; n += 1) running.push(await processes.start());
  for (let n = 0; n < kills; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, least + random() * (most - least)));
    const [victim, ...others] = running;
    if (victim === undefined) throw new Error('no gateway is running');
    await processes.kill(victim, look);
    running = [...others, await processes.start()];
    progress({ kills: n + 1, acknowledged: ledger.acknowledged, arrived: ledger.arrived, duplicates: ledger.extra });
  }
  for (const child of running) await processes.kill(child, look);
  await processes.close();
  await observer.close();

  const last = await benchGateway(place.url, { deadlineMs: 2_000, leaseMs, pollMs: 200 });
  for (;;) {
    const waiting = await last.app.database
      .selectFrom('deliveries')
      .select('id')
      .where('state', '=', 'pending')
      .limit(1)
      .execute();
    if (waiting.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await last.close();
  await receiver.close();
  await place.drop();
  return {
    kills: kills + running.length,
    acknowledged: ledger.acknowledged,
    arrived: ledger.arrived,
    lost: ledger.lost(),
    duplicates: ledger.extra,
    inFlight: inFlight.size,
    lateness: ledger.lateness(),
  };
}
