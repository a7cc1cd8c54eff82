/** Kills a delivering gateway again and again, and counts how the events that it had acknowledged arrived. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { benchGateway } from '../bench/gateway.ts';
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
}

const program = new URL('./crashing-gateway.ts', import.meta.url).pathname;

/** @param workers processes at once on the database; one of them is killed each time, in turn */
export async function crashRun(
  dialect: TestDialect,
  { kills, workers, random }: { readonly kills: number; readonly workers: number; readonly random: () => number },
): Promise<CrashReport> {
  const receiver = await startReceiver();
  const times = new Map<string, number>();
  receiver.answer = ({ body }, response) => {
    const { n } = JSON.parse(body) as { n: string };
    times.set(n, (times.get(n) ?? 0) + 1);
    // Some answers take their time, so that a kill finds requests in every state.
    if (random() < 0.1) setTimeout(() => response.end(), 30);
    else response.end();
  };
  const place = await dialect.location();
  const setUp = await benchGateway(place.url);
  await setUp.webhook(receiver.address);
  await setUp.close();

  const acknowledged = new Set<string>();
  let started = 0;
  const start = async (): Promise<ChildProcess> => {
    started += 1;
    const child = spawn(process.execPath, [program, place.url, `p${started}`, '4'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the gateway ended before it was killed')));
      lines.on('line', (line) => (line === 'ready' ? resolve() : void acknowledged.add(line)));
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
    await new Promise((resolve) => setTimeout(resolve, 50 + random() * 300));
    const [victim, ...others] = running;
    if (victim === undefined) throw new Error('no gateway is running');
    await kill(victim);
    await look();
    running = [...others, await start()];
  }
  for (const child of running) await kill(child);
  await look();
  await observer.close();

  const last = await benchGateway(place.url, { deadlineMs: 2_000, leaseMs: 5_000, pollMs: 200 });
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
  return {
    kills: kills + running.length,
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((id) => !times.has(id)).length,
    duplicates: [...times.values()].reduce((sum, count) => sum + count - 1, 0),
    inFlight: inFlight.size,
  };
}
