/** The collection of Bruno is what `npm run docs` makes of the examples of GraphiQL and the page of REST. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { examples } from '../../src/pages/graphiql/examples.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { brunoCollection, brunoFiles, brunoFolder } from '../support/bruno.ts';

const collection = await brunoCollection();

test('every file is as it is generated, and there are no others', () => {
  const files = brunoFiles().map((file) => [file, readFileSync(join(brunoFolder, file), 'utf8')]);
  expect(Object.fromEntries(files)).toEqual(Object.fromEntries(collection));
});

test('every example is there that is no subscription, and every endpoint', () => {
  const texts = [...collection.values()];
  const operations = texts.flatMap((text) => /^ {2}(?:query|mutation) (\w+)/m.exec(text)?.[1] ?? []);
  const watching = examples.filter(({ name }) => name.startsWith('Watch'));
  expect(operations).toHaveLength(examples.length - watching.length);
  expect(texts.filter((text) => /^ {2}type: http$/m.test(text))).toHaveLength(endpoints.length);
});
