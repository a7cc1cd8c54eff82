/** Lines of `src`. Who needs more raises a number here, and says in the same commit what that buys. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** The most lines of TypeScript that a folder may have. */
const budget: Readonly<Record<string, number>> = {
  app: 5_203,
  auth: 1_522,
  cache: 360,
  capabilities: 293,
  'capabilities/accounts': 573,
  'capabilities/deliveries': 2_705,
  'capabilities/jobs': 2_202,
  'capabilities/posts': 1_239,
  'capabilities/webhooks': 2_755,
  delivery: 4_080,
  events: 555,
  graphql: 1_112,
  'graphql/cost': 731,
  'graphql/documents': 896,
  'graphql/doors': 1_303,
  'graphql/executors': 2_382,
  'graphql/federation': 312,
  'graphql/kit': 2_131,
  'graphql/schema': 106,
  http: 2_702,
  kernel: 3_437,
  net: 1_424,
  pages: 1_228,
  providers: 1_785,
  rest: 618,
  splice: 3_109,
  store: 6_210,
  telemetry: 756,
  upstream: 1_744,
};

const src = join(import.meta.dirname, '../../src');
/** Folders as large as these are divided. */
const divided = ['capabilities', 'graphql'];

function folderOf(file: string): string {
  const parts = file.split('/');
  return parts.slice(0, divided.includes(parts[0] ?? '') && parts.length > 2 ? 2 : 1).join('/');
}

const lines = new Map<string, number>();
for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.ts')) continue;
  const folder = folderOf(file);
  lines.set(folder, (lines.get(folder) ?? 0) + readFileSync(join(src, file), 'utf8').split('\n').length - 1);
}

test.each([...lines])('%s keeps its budget', (folder, count) => {
  expect(count).toBeLessThanOrEqual(budget[folder] ?? 0);
});

test('no folder that is gone has a budget, and none has much more than it needs', () => {
  const spare = Object.entries(budget).map(([folder, most]) => [folder, most - (lines.get(folder) ?? 0)] as const);
  expect(spare.filter(([folder, left]) => !lines.has(folder) || left > 100)).toEqual([]);
});
