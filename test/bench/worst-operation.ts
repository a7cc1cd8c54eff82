/**
 * Searches for the operation that holds the event loop longest, among those that the limits let through. It generates
 * operations, keeps the worst and varies them; a candidate is as bad as the best of its runs, since other work on the
 * machine can only add. The gateway runs in a process of its own, with data at the sizes that the schema assumes.
 *
 * `npx node test/bench/worst-operation.ts [seconds]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool } from 'undici';
import { type Candidate, randomCandidate, requestOf, vary } from './worst-operation/candidates.ts';
import { extremes } from './worst-operation/extremes.ts';

const seconds = Number(process.argv[2] ?? 120);
const runs = 3;
const kept = 8;

const child = fork(new URL('./worst-operation/gateway.ts', import.meta.url));
const [started] = await once(child, 'message');
const { address, key, ...ids } = started as Record<string, string>;
const pool = new Pool(address as string, { headersTimeout: 120_000, bodyTimeout: 120_000 });

interface Run {
  readonly status: number;
  readonly bytes: number;
  /** The longest that the event loop of the gateway did not turn, in milliseconds of CPU time of its thread. */
  readonly heldMs: number;
  readonly cost: number | undefined;
  readonly text: string;
}

/** A comment makes every document a new one: it is parsed and validated each time. */
let sent = 0;
const fresh = (query: string): string => `${query} #${++sent}`;

async function runOnce({ body, keyless }: { readonly body: string; readonly keyless: boolean }): Promise<Run> {
  child.send('reset');
  await once(child, 'message');
  const response = await pool.request({
    method: 'POST',
    path: '/graphql',
    headers: {
      'content-type': 'application/json',
      'graphql-cost': 'report',
      ...(keyless ? {} : { 'x-api-key': key }),
    },
    body,
  });
  const text = await response.body.text();
  child.send('held');
  const [heldMs] = (await once(child, 'message')) as [number];
  const cost = /"cost":\{"requestedCost":(\d+)/.exec(text.slice(-200))?.[1];
  return {
    status: response.statusCode,
    bytes: text.length,
    heldMs,
    cost: cost === undefined ? undefined : Number(cost),
    text,
  };
}

/** The best of several runs: what else the machine does can only make a run longer. */
async function best(request: () => { readonly body: string; readonly keyless: boolean }): Promise<Run> {
  let best = await runOnce(request());
  for (let run = 1; run < runs && best.heldMs > 40; run += 1) {
    const again = await runOnce(request());
    if (again.heldMs < best.heldMs) best = again;
  }
  return best;
}

const measure = (candidate: Candidate): Promise<Run> =>
  best(() => {
    const { query, variables } = requestOf(candidate, ids);
    return { body: JSON.stringify({ query: fresh(query), variables }), keyless: candidate.keyless };
  });

const worst: { candidate: Candidate; run: Run }[] = [];
const longest = { refused: 0, introspection: 0 };
const until = Date.now() + seconds * 1_000;
let tried = 0;
let refused = 0;
try {
  for (const [name, text] of Object.entries(extremes)) {
    const query = text.replaceAll(/\$(\w+)/g, (_, id: string) => ids[id] ?? '');
    const run = await best(() => ({ body: JSON.stringify({ query: fresh(query) }), keyless: false }));
    const cost = run.cost === undefined ? '' : `, cost ${run.cost}`;
    process.stdout.write(`${run.heldMs.toFixed(0)} ms, status ${run.status}${cost}, ${run.bytes} bytes: ${name}\n`);
  }
  while (Date.now() < until) {
    const parent = worst[Math.floor(Math.random() ** 2 * worst.length)];
    const candidate = parent === undefined || Math.random() < 0.3 ? randomCandidate() : vary(parent.candidate);
    const run = await measure(candidate);
    tried += 1;
    if (run.status !== 200) {
      refused += 1;
      longest.refused = Math.max(longest.refused, run.heldMs);
      if (run.heldMs > 150)
        process.stderr.write(
          `refused after ${run.heldMs} ms: ${JSON.stringify(candidate)} ${run.text.slice(0, 200)}\n`,
        );
      continue;
    }
    worst.push({ candidate, run });
    worst.sort((a, b) => b.run.heldMs - a.run.heldMs);
    worst.length = Math.min(worst.length, kept);
  }
  // Long searches meet noise: the ones that are shown are measured once more.
  for (const each of worst) {
    const again = await measure(each.candidate);
    if (again.heldMs < each.run.heldMs) Object.assign(each, { run: again });
  }
  worst.sort((a, b) => b.run.heldMs - a.run.heldMs);
  process.stdout.write(
    `${tried} operations, ${refused} of them refused (after ${longest.refused.toFixed(0)} ms at most). The worst that were let through:\n`,
  );
  for (const { candidate, run } of worst) {
    process.stdout.write(
      `${run.heldMs.toFixed(0)} ms, cost ${run.cost}, ${run.bytes} bytes: ${JSON.stringify(candidate)}\n`,
    );
  }
} finally {
  await pool.close();
  child.kill();
}
