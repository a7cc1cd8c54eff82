/** The kernel that is checked in. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { buildKernel, builtFile } from '../support/splice-build.ts';

test('is what its source compiles to: `npm run splice` builds it anew', { timeout: 60_000 }, async () => {
  const built = Buffer.from(await buildKernel());
  expect(built.equals(readFileSync(builtFile))).toBe(true);
});

test('imports a memory and a printer of numbers, and exports four functions', () => {
  const module = new WebAssembly.Module(readFileSync(builtFile));
  const imported = [
    { module: 'env', name: 'printNumber', kind: 'function' },
    { module: 'env', name: 'memory', kind: 'memory' },
  ];
  expect(WebAssembly.Module.imports(module)).toEqual(imported);
  const exported = ['print', 'reserve', 'scan', 'tapeEnd'].map((name) => ({ name, kind: 'function' }));
  expect(WebAssembly.Module.exports(module)).toEqual(exported);
});
