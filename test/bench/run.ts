/**
 * `npm run bench`: what the gateway costs in front of a service, compared with other gateways and with bare proxies. All
 * run against one upstream, each in its own process, one after the other within each round. The table shows medians over
 * the rounds as ratios to Postern: the speed of the machine and its other load cancel out of a ratio.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, platform } from 'node:os';
import { Pool } from 'undici';

const rounds = Number(process.env.ROUNDS ?? 5);
const roundMs = Number(process.env.ROUND_MS ?? 2_000);
const concurrency = 16;

const author = 'id providerId publicIdentifier name isCompany headline profilePictureUrl';
const allFields = `__typename ... on PnetPost {
  id providerId socialId shareUrl title text date parsedDatetime reactionCounter commentCounter repostCounter
  impressionsCounter userReacted author { ${author} } writtenBy { providerId publicIdentifier name }
  permissions { canReact canShare canPostComments } isRepost repostId repostedBy { ${author} }
  repostContent { providerId date parsedDatetime text author { ${author} } } mentions { url start length }
  attachments { __typename providerId unavailable mimetype fileSize url urlExpiresAt ... on ImageAttachment { sticker size { width height } } }
  poll { providerId question isOpen totalVotesCount options { providerId text win votesCount } } group { providerId name private }
  analytics { impressions engagements engagementRate clicks clickthroughRate pageViewersFromThisPost followersGainedFromThisPost membersReached } }`;
const few = '... on PnetPost { id text author { name } }';
const list = (first: number, fields: string) =>
  `posts(accountId: "a", identifier: $of, first: ${first}) { nodes { ${fields} } pageInfo { hasNextPage endCursor } }`;

const scenarios = {
  'all fields of 100 posts': `query ($of: String!) { ${list(100, allFields)} }`,
  '10 posts, three fields': `query ($of: String!) { ${list(10, few)} }`,
  'five aliases of one list': `query ($of: String!) { ${['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: ${list(10, few)}`).join(' ')} }`,
} as const;
type Scenario = keyof typeof scenarios;
const scenarioNames = Object.keys(scenarios) as Scenario[];

/** The module of each gateway, its arguments after the upstream's address, and the path of its endpoint. */
const targets = {
  Postern: { module: 'postern.ts', mode: [], path: '/graphql' },
  'Apollo Server + datasource-rest': { module: 'peers/apollo.js', mode: [], path: '/' },
  'Mercurius + jit': { module: 'peers/mercurius.js', mode: [], path: '/graphql' },
  'proxy, JSON parsed and printed': { module: 'peers/proxy.js', mode: ['json'], path: '/' },
  'proxy, bytes forwarded': { module: 'peers/proxy.js', mode: ['bytes'], path: '/' },
} as const;
type Target = keyof typeof targets;
const targetNames = Object.keys(targets) as Target[];

interface Running {
  readonly process: ChildProcess;
  readonly address: string;
}

interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the gateway's process per request in microseconds; NaN where the system does not report it. */
  readonly cpu: number;
  /** Peak resident memory in MiB; NaN where the system does not report it. */
  readonly memory: number;
}

/** With two cores or more the gateways share the first core, and everything else uses the others. */
const pinned = platform() === 'linux' && availableParallelism() > 1;

async function start(module: string, args: readonly string[], cores: string): Promise<Running> {
  const file = new URL(module, import.meta.url).pathname;
  const child = pinned
    ? fork(file, args, { execPath: 'taskset', execArgv: ['-c', cores, process.execPath] })
    : fork(file, args);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${module} exited with code ${code}`);
  });
  const [address] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {});
  return { process: child, address: address as string };
}

let sentCount = 0;

/** Sends an operation for a list of its own, so that no gateway can reuse a cached or concurrent response. */
async function send(pool: Pool, path: string, query: string): Promise<string> {
  sentCount += 1;
  const response = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ query, variables: { of: `ACo${sentCount}` } }),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200 || text.includes('"errors":')) throw new Error(text.slice(0, 500));
  return text;
}

/** A response without the values that each gateway chooses itself: global ids and cursors. */
async function comparable({ address }: Running, path: string, query: string): Promise<string> {
  const pool = new Pool(address);
  const text = await send(pool, path, query);
  await pool.close();
  return JSON.stringify(JSON.parse(text), (key, value) => (key === 'id' || key === 'endCursor' ? '' : value));
}

/** Sends an operation repeatedly for `ms` milliseconds, `concurrency` requests at a time. */
async function measure(
  { address, process: { pid = 0 } }: Running,
  path: string,
  query: string,
  ms: number,
): Promise<Figures> {
  const pool = new Pool(address, { connections: concurrency, pipelining: 1 });
  const latencies: number[] = [];
  resetPeak(pid);
  const [started, cpu] = [performance.now(), cpuOf(pid)];
  const client = async () => {
    while (performance.now() - started < ms) {
      const sentAt = performance.now();
      await send(pool, path, query);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const took = performance.now() - started;
  const used = cpuOf(pid) - cpu;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] as number;
  return {
    perSecond: (latencies.length / took) * 1_000,
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpu: used / latencies.length,
    memory: peakOf(pid),
  };
}

/** CPU time of a process in microseconds. */
function cpuOf(pid: number): number {
  if (platform() !== 'linux') return Number.NaN;
  // proc(5): after the process name in parentheses, fields 12 and 13 are user and system time in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Peak resident memory of a process in MiB, since the last {@link resetPeak}. */
function peakOf(pid: number): number {
  if (platform() !== 'linux') return Number.NaN;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Resets the peak to the memory that is resident now. */
function resetPeak(pid: number): void {
  if (platform() === 'linux') writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const columns = ['perSecond', 'p50', 'p99', 'cpu', 'memory'] as const satisfies readonly (keyof Figures)[];
const headings = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'peak MiB'];

function table(results: ReadonlyMap<string, Figures[]>): string {
  const lines: string[] = [];
  for (const scenario of scenarioNames) {
    const of = (target: Target, column: keyof Figures) =>
      median((results.get(`${target} ${scenario}`) ?? []).map((figures) => figures[column]));
    lines.push(
      '',
      `### ${scenario}`,
      '',
      `| | ${headings.join(' | ')} |`,
      `|---|${headings.map(() => '---:|').join('')}`,
    );
    for (const target of targetNames) {
      const cells = columns.map((column) => {
        const value = of(target, column);
        const shown = value >= 100 ? value.toFixed(0) : value.toFixed(1);
        return target === 'Postern' ? shown : `${(value / of('Postern', column)).toFixed(2)} ×`;
      });
      lines.push(`| ${target} | ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}

/** The comparison is fair only if all gateways return the same data. */
async function requireSameResponses(running: ReadonlyMap<Target, Running>): Promise<void> {
  for (const scenario of scenarioNames) {
    const responses = await Promise.all(
      targetNames
        .filter((name) => !name.startsWith('proxy'))
        .map((name) => comparable(running.get(name) as Running, targets[name].path, scenarios[scenario])),
    );
    if (new Set(responses).size !== 1) {
      throw new Error(
        `The responses to "${scenario}" differ:\n${responses.map((text) => text.slice(0, 2_000)).join('\n')}`,
      );
    }
  }
}

async function main(): Promise<void> {
  const upstream = await start('stub.ts', [], `1-${availableParallelism() - 1}`);
  const running = new Map<Target, Running>();
  try {
    for (const name of targetNames) {
      const { module, mode } = targets[name];
      running.set(name, await start(module, [upstream.address, ...mode], '0'));
    }
    await requireSameResponses(running);
    const results = new Map<string, Figures[]>();
    // Round 0 is the warm-up and does not count.
    for (let round = 0; round <= rounds; round += 1) {
      for (const scenario of scenarioNames) {
        for (const name of targetNames) {
          const target = running.get(name) as Running;
          const figures = await measure(
            target,
            targets[name].path,
            scenarios[scenario],
            round === 0 ? roundMs / 2 : roundMs,
          );
          const key = `${name} ${scenario}`;
          if (round > 0) results.set(key, [...(results.get(key) ?? []), figures]);
        }
      }
      process.stderr.write(round === 0 ? 'warm' : ` ${round}/${rounds}`);
    }
    process.stderr.write('\n');
    process.stdout.write(
      `${rounds} rounds of ${roundMs} ms, ${concurrency} requests at a time, ${pinned ? 'one core for the gateways' : 'no core reserved'}. Postern in numbers, the others as ratios to it.\n${table(results)}\n`,
    );
  } finally {
    for (const { process: child } of [upstream, ...running.values()]) child.kill();
  }
}

await main();
