/**
 * How long a start takes: from `npm start`, without npm, to the first answer to a GraphQL query, which is later than the line
 * that says that it listens; the CPU time of it, which other load on the machine changes less; and how much memory the gateway
 * then holds while nobody asks for anything.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { median } from './measure.ts';
import { createKey, firstAnswer, type Installation, install, startPostern } from './postern.ts';
import { cpuOf, residentOf } from './process-figures.ts';

export interface StartFigures {
  readonly title: string;
  readonly ms: number;
  /** Of all threads, until that answer. */
  readonly cpuMs: number;
  readonly idleMiB: number;
}

/** How long nothing happens before the memory is read. */
const idleMs = 2_000;

interface Question {
  readonly key: string;
  readonly query: string;
}

const listOf = (accountId: string) =>
  `{ posts(accountId: "${accountId}", identifier: "ACoSandbox250", first: 10) { nodes { ... on PnetPost { id text author { name } } } } }`;

/** @param directory for the databases, which exist before the starts that count */
export async function measureStarts(
  directory: string,
  { upstream, starts }: { readonly upstream: string; readonly starts: number },
): Promise<StartFigures[]> {
  const proxy = await install(join(directory, 'start-upstream'), { UPSTREAM_URL: upstream, UPSTREAM_API_KEY: 'key' });
  const embedded = await install(join(directory, 'start-embedded'), { DEMO: 'on' });
  const key = await createKey(proxy);
  // The first start creates the demo workspace and its key. A query for the schema alone needs no key.
  await startOnce(embedded, null);
  const demoKey = (await readFile(join(embedded.directory, 'demo-key'), 'utf8')).trim();
  return [
    await measureKind('proxy mode', proxy, starts, { key, query: listOf('a') }),
    await measureKind('embedded mode', embedded, starts, { key: demoKey, query: listOf('pnet-----------------A') }),
  ];
}

async function measureKind(
  title: string,
  installation: Installation,
  starts: number,
  question: Question,
): Promise<StartFigures> {
  const figures: Omit<StartFigures, 'title'>[] = [];
  for (let n = 0; n < starts; n += 1) figures.push(await startOnce(installation, question));
  const medianOf = (name: keyof (typeof figures)[number]) => median(figures.map((each) => each[name]));
  return { title, ms: medianOf('ms'), cpuMs: medianOf('cpuMs'), idleMiB: medianOf('idleMiB') };
}

/** @param question null for a start that only prepares the database */
async function startOnce(installation: Installation, question: Question | null): Promise<Omit<StartFigures, 'title'>> {
  const started = performance.now();
  const postern = await startPostern(installation, { onOneCore: false });
  try {
    await firstAnswer(postern, question ?? { query: '{ __typename }' });
    const ms = performance.now() - started;
    const { pid = 0 } = postern.process;
    const cpuMs = cpuOf(pid) / 1_000;
    if (question !== null) await wait(idleMs);
    return { ms, cpuMs, idleMiB: residentOf(pid) };
  } finally {
    const exited = once(postern.process, 'exit');
    postern.process.kill();
    await exited;
  }
}
