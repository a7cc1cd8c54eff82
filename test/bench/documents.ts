/**
 * The cost and the gain of not sending documents: persisted queries by their hash, and trusted documents by their id, compared with
 * the text; and what a manifest adds to a start. See turns.ts for how the first is measured.
 *
 * STARTS says how many starts there are with each manifest.
 */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './measure.ts';
import { operations } from './operations.ts';
import { residentOf } from './process-figures.ts';
import { startPosternTarget } from './targets.ts';
import { compareVariants, type SentRequest, type Variables, type Variant } from './turns.ts';

const starts = Number(process.env.STARTS ?? 5);

const idOf = (text: string): string => hash('sha256', text);
const post = (body: object): SentRequest => ({ body: JSON.stringify(body) });

const byHash = (text: string, variables: Variables): SentRequest =>
  post({ variables, extensions: { persistedQuery: { version: 1, sha256Hash: idOf(text) } } });
const byId = (text: string, variables: Variables): SentRequest => post({ documentId: idOf(text), variables });
const byUrl = (text: string, variables: Variables): SentRequest => ({
  search: `?documentId=${idOf(text)}&variables=${encodeURIComponent(JSON.stringify(variables))}`,
  body: null,
});

/**
 * Writes a manifest, with the document by which a start is noticed besides.
 * @returns its path
 */
async function writeManifest(directory: string, texts: readonly string[]): Promise<string> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, 'documents.json');
  const manifest = ['{ __typename }', ...texts].map((text) => [idOf(text), text]);
  await writeFile(path, JSON.stringify(Object.fromEntries(manifest)));
  return path;
}

const documents = Object.values(operations).map(({ text }) => text);

const untrusted: Variant['start'] = async (upstream, directory) => {
  const running = await startPosternTarget({}, { upstream, directory });
  // As a client does after `PersistedQueryNotFound`.
  for (const query of documents) {
    const extensions = { persistedQuery: { version: 1, sha256Hash: idOf(query) } };
    const body = JSON.stringify({ query, variables: { of: 'ACo000000000' }, extensions });
    const headers = { 'content-type': 'application/json', 'x-api-key': running.key };
    await (await fetch(running.url, { method: 'POST', headers, body })).arrayBuffer();
  }
  return running;
};
const trusted: Variant['start'] = async (upstream, directory) =>
  startPosternTarget({ DOCUMENTS: await writeManifest(directory, documents) }, { upstream, directory });

await compareVariants([
  { name: 'text', start: untrusted },
  { name: 'persisted query, by its hash', start: untrusted, request: byHash },
  { name: 'trusted document, by its text', start: trusted },
  { name: 'trusted document, by its id', start: trusted, request: byId },
  { name: 'trusted document, by GET', start: trusted, request: byUrl },
]);

interface StartFigures {
  readonly ms: number;
  /** Resident, in MiB. */
  readonly memory: number;
}

/** A start with a manifest of as many documents. 0: without one. */
async function startWith(count: number): Promise<StartFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
  try {
    const { text } = operations.all;
    const texts = Array.from({ length: count }, (_, n) => text.replace('query', `query List${n}`));
    const environment: Record<string, string> = {};
    if (count > 0) environment.DOCUMENTS = await writeManifest(directory, texts);
    // Nothing listens there: none of these documents is executed.
    const upstream = 'http://127.0.0.1:9';
    const started = performance.now();
    const { process: gateway } = await startPosternTarget(environment, { upstream, directory, onOneCore: false });
    const ms = performance.now() - started;
    const memory = residentOf(gateway.pid ?? 0);
    const exited = once(gateway, 'exit');
    gateway.kill();
    await exited;
    return { ms, memory };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

process.stdout.write('a start, with a manifest of documents that select all fields of posts\n');
for (const count of [0, 100, 1_000]) {
  const figures: StartFigures[] = [];
  for (let n = 0; n < starts; n += 1) figures.push(await startWith(count));
  const of = (figure: keyof StartFigures) => median(figures.map((each) => each[figure])).toFixed(0);
  process.stdout.write(
    `  ${String(count).padStart(5)} documents ${of('ms').padStart(6)} ms ${of('memory').padStart(5)} MiB\n`,
  );
}
