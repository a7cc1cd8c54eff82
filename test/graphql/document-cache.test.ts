import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { documentCache } from '../../src/graphql/cost/document-cache.ts';

test('a comment counts: texts of few tokens do not fill the memory', () => {
  let parsed = 0;
  const documents = documentCache(1_000, (text) => {
    parsed += 1;
    return parse(text);
  });
  const texts = Array.from({ length: 10 }, (_, index) => `{__typename}#${index}${'x'.repeat(8_000)}`);
  for (const text of [...texts, ...texts]) documents(text);
  expect(parsed).toBe(20);
  documents(texts.at(-1) ?? '');
  expect(parsed).toBe(20);
});
