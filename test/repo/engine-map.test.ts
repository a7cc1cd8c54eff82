import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the map of the engine names every file of its folder, and no other', async () => {
  const text = await readFile('src/delivery/engine.ts', 'utf8');
  const head = text.slice(0, text.indexOf('*/'));
  const map = head.slice(head.indexOf('The way of an event'));
  const named = new Set(map.match(/(?<![\w/-])[a-z-]+\.ts\b/g));
  const files = (await readdir('src/delivery')).filter((file) => file !== 'engine.ts');
  expect([...named].sort()).toEqual(files.sort());
});
