/** The documentation says what each line of the log means: every message that the code has stands in its table. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sectionOf } from '../support/docs.ts';

const root = join(import.meta.dirname, '../..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'));

/** The calls of a log, or of what takes lines for it, and what work that failed is logged as, up to the end of the statement. */
const calls =
  /(?:\b(?:logger|log|report)(?:\.(?:info|warn|error)|\[[^\]]*\])?\(|\bstartSteps\(|\btroubles\??\.of\(|[fF]ailed = )[\s\S]*?;\n/g;
/** Messages begin with a small letter. What begins with a large one is for the person at the terminal. */
const message = /'((?:[a-z]|Redis )[^'\n]* [^'\n]*|request|stopping|stopped)'/g;

const messages = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(calls)].flatMap(([call]) => [...call.matchAll(message)].map(([, text = '']) => text)),
  ),
);

test('every message of the log stands in the documentation', () => {
  const page = sectionOf('Log messages');
  expect(messages.size).toBeGreaterThan(30);
  expect(messages).toContain('request failed');
  expect(messages).toContain('upstream failure');
  expect([...messages].filter((text) => !page.includes(`\`${text}\``))).toEqual([]);
});
