/** Kills a delivering gateway again and again, and counts how the events that it had acknowledged arrived. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { benchGateway, percentile } from '../bench/gateway.ts';
import type { TestDialect } from './databases.ts';
import { startReceiver } from './receiver.ts';

export interface CrashReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged events that never arrived: must be none. */
  readonly lost: number;
  /** Deliveries that arrived more than once, counting each further time. */
  readonly duplicates: number;
  /** Deliveries that were claimed at the moments of the kills: as many may arrive twice. */
  readonly inFlight: number;
  /** Milliseconds from the acknowledgement of an event to its first arrival: of the 99th of a hundred, and of the last. */
  readonly lateness: { readonly p99: number; readonly max: number };
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
}

const program = new URL('./crashing-gateway.ts', import.meta.url).pathname;

export async function crashRun(
  dialect: TestDialect,
  { kills, workers, random, everyMs: [least, most] = [50, 350], leaseMs = 5_000, pauseMs = 0 }: CrashOptions,
): Promise<CrashReport> {
  const receiver = await startReceiver();
  const times = new Map<string, number>();
  const arrivedAt = new Map<string, number>();
  receiver.answer = ({ body }, response) => {
    const { n } = JSON.parse(body) as { n: string };
    times.set(n, (times.get(n) ?? 0) + 1);
    if (!arrivedAt.has(n)) arrivedAt.set(n, performance.now());
    receiver.received.length = 0;
    // Some answers take their time, so that a kill finds requests in every state.
    if (random() < 0.1) setTimeout(() => response.end(), 30);
    else response.end();
  };
  const place = await dialect.location();
  const setUp = await benchGateway(place.url);
  await setUp.webhook(receiver.address);
  await setUp.close();

  /** With the time at which that was heard of. */
  const acknowledged = new Map<string, number>();
  let started = 0;
  const start = async (): Promise<ChildProcess> => {
    started += 1;
    const settings = [place.url, `p${started}`, '4', String(leaseMs), String(pauseMs)];
    const child = spawn(process.execPath, [program, ...settings], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the gateway ended before it was killed')));
      lines.on('line', (line) => (line === 'ready' ? resolve() : void acknowledged.set(line, performance.now())));
    });
    return child;
  };
  const kill = (child: ChildProcess) =>
    new Promise<void>((resolve) => {
      // `close`, not `exit`: what it had written is read to its end.
      child.removeAllListeners('exit').once('close', () => resolve());
      child.kill('SIGKILL');
    });

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
  for (let n = 0; n < workers; n += 1) running.push(await start());
  for (let n = 0; n < kills; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, least + random() * (most - least)));
    const [victim, ...others] = running;
    if (victim === undefined) throw new Error('no gateway is running');
    await kill(victim);
    await look();
    running = [...others, await start()];
  }
  for (const child of running) await kill(child);
  await look();
  await observer.close();

  const last = await benchGateway(place.url, { deadlineMs: 2_000, leaseMs, pollMs: 200 });
  for (;;) {
    const waiting = await last.app.database
      .selectFrom('deliveries')
      .select('id')
      .where('state', '!=', 'succeeded')
      .limit(1)
      .execute();
    if (waiting.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await last.close();
  await receiver.close();
  await place.drop();
  const lateness = [...acknowledged].map(([id, at]) => (arrivedAt.get(id) ?? Number.POSITIVE_INFINITY) - at);
  return {
    kills: kills + running.length,
    acknowledged: acknowledged.size,
    lost: [...acknowledged.keys()].filter((id) => !times.has(id)).length,
    duplicates: [...times.values()].reduce((sum, count) => sum + count - 1, 0),
    inFlight: inFlight.size,
    lateness: { p99: Math.round(percentile(lateness, 99)), max: Math.round(percentile(lateness, 100)) },
  };
}
