/**
 * `npm run bench`: what the gateway costs in front of a service, side by side with what else could stand there. All run
 * against one upstream, in turns within each round, each in a process of its own; the table has medians over the rounds,
 * as ratios to Postern. The machine and its other load cancel out of a ratio, which they do not out of a number.
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

/** The module of each, its arguments behind the upstream's address, and the path that it answers at. */
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
  /** Microseconds of CPU of the gateway's process for each request; NaN where the system does not tell. */
  readonly cpu: number;
  /** Peak resident memory in MiB; NaN where the system does not tell. */
  readonly memory: number;
}

/** On two cores or more the gateways share the first, and everything else has the others. */
const pinned = platform() === 'linux' && availableParallelism() > 1;

async function start(module: string, args: readonly string[], cores: string): Promise<Running> {
  const file = new URL(module, import.meta.url).pathname;
  const child = pinned
    ? fork(file, args, { execPath: 'taskset', execArgv: ['-c', cores, process.execPath] })
    : fork(file, args);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${module} ended with code ${code}`);
  });
  const [address] = await Promise.race([once(child, 'message'), failed]);
  failed.catch(() => {});
  return { process: child, address: address as string };
}

let asked = 0;

/** Each request is about another list, so that nobody has an answer at hand, or under way for another. */
async function ask(pool: Pool, path: string, query: string): Promise<string> {
  asked += 1;
  const response = await pool.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
    body: JSON.stringify({ query, variables: { of: `ACo${asked}` } }),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200 || text.includes('"errors":')) throw new Error(text.slice(0, 500));
  return text;
}

/** The answer without what each may make up for itself: global ids and cursors. */
async function essence({ address }: Running, path: string, query: string): Promise<string> {
  const pool = new Pool(address);
  const text = await ask(pool, path, query);
  await pool.close();
  return JSON.stringify(JSON.parse(text), (key, value) => (key === 'id' || key === 'endCursor' ? '' : value));
}

/** Sends a query as often as it is answered, `concurrency` at a time. */
async function measure(
  { address, process: { pid = 0 } }: Running,
  path: string,
  query: string,
  ms: number,
): Promise<Figures> {
  const pool = new Pool(address, { connections: concurrency, pipelining: 1 });
  const latencies: number[] = [];
  forgetPeak(pid);
  const [started, cpu] = [performance.now(), cpuOf(pid)];
  const client = async () => {
    while (performance.now() - started < ms) {
      const sent = performance.now();
      await ask(pool, path, query);
      latencies.push(performance.now() - sent);
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

/** Microseconds of CPU that a process has used. */
function cpuOf(pid: number): number {
  if (platform() !== 'linux') return Number.NaN;
  // Behind the name in parentheses: field 12 and 13 are user and system time in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function peakOf(pid: number): number {
  if (platform() !== 'linux') return Number.NaN;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Lets the peak start from what is resident now. */
function forgetPeak(pid: number): void {
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

/** What is compared must do the same work. */
async function requireSameAnswers(running: ReadonlyMap<Target, Running>): Promise<void> {
  for (const scenario of scenarioNames) {
    const answers = await Promise.all(
      targetNames
        .filter((name) => !name.startsWith('proxy'))
        .map((name) => essence(running.get(name) as Running, targets[name].path, scenarios[scenario])),
    );
    if (new Set(answers).size !== 1) {
      throw new Error(
        `The answers to "${scenario}" differ:\n${answers.map((text) => text.slice(0, 2_000)).join('\n')}`,
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
    await requireSameAnswers(running);
    const results = new Map<string, Figures[]>();
    // Round 0 warms up and is not counted.
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
