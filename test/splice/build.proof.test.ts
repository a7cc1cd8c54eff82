/** The kernel that is checked in. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { neverKey } from '../../src/splice/layout.ts';
import { buildKernel, builtFile } from './build-kernel.ts';

test('is what its source compiles to: `npm run splice` builds it anew', { timeout: 60_000 }, async () => {
  const built = Buffer.from(await buildKernel());
  expect(built.equals(readFileSync(builtFile))).toBe(true);
});

test('imports a memory and printers of numbers and of their times, and exports four functions', () => {
  const module = new WebAssembly.Module(readFileSync(builtFile));
  const imported = [
    { module: 'env', name: 'printEpoch', kind: 'function' },
    { module: 'env', name: 'printNumber', kind: 'function' },
    { module: 'env', name: 'memory', kind: 'memory' },
  ];
  expect(WebAssembly.Module.imports(module)).toEqual(imported);
  const exported = ['print', 'reserve', 'scan', 'tapeEnd'].map((name) => ({ name, kind: 'function' }));
  expect(WebAssembly.Module.exports(module)).toEqual(exported);
});

test('has its constants below the records that a plan is loaded with', () => {
  const end = constantsEnd(new WebAssembly.Module(readFileSync(builtFile)));
  // Six blocks behind the first address that is used.
  expect(end).toBeGreaterThanOrEqual(64 + 6 * 16);
  expect(end).toBeLessThanOrEqual(neverKey);
});

test('is seen to have more constants than fit there', { timeout: 60_000 }, async () => {
  const built = await buildKernel((file, source) =>
    file.endsWith('/blocks.ts') ? source.replace('[', `[${'7, '.repeat(neverKey)}`) : source,
  );
  expect(constantsEnd(new WebAssembly.Module(built as BufferSource))).toBeGreaterThan(neverKey);
});

/** @returns the address behind the last byte that a new instance has in its memory, whatever was there before */
function constantsEnd(module: WebAssembly.Module): number {
  const [over0, over255] = [0, 255].map((before) => {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const bytes = new Uint8Array(memory.buffer).fill(before);
    new WebAssembly.Instance(module, { env: { memory, printNumber: () => 0, printEpoch: () => 0 } });
    return bytes;
  }) as [Uint8Array, Uint8Array];
  return over0.findLastIndex((byte, at) => byte === over255[at]) + 1;
}
