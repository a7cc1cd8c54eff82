/** Faults that are put into the kernel's source on purpose, each of which the comparison with the model finds. */
import { expect, test } from 'vitest';
import { createSplicer } from '../../src/splice/splicer.ts';
import { compareWithModel } from '../support/splice-differential.ts';
import { buildKernel } from './build-kernel.ts';

interface Fault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** Of the comparison that finds it soon, where few do. */
  readonly seed?: number;
}

const faults: readonly Fault[] = [
  {
    name: 'any two halves make a pair',
    file: 'print-string.ts',
    from: '(low & 0xfffffc00) === 0xdc00',
    to: 'low <= 0xffff',
    seed: 8,
  },
  {
    name: 'a wrong byte of a string is forgiven',
    file: 'utf8.ts',
    from: 'return at + ctz(wrong) >= end;',
    to: 'return true;',
    seed: 24,
  },
  {
    name: 'numbers of 16 digits are printed as they stand',
    file: 'scalars.ts',
    from: 'exactDigits: usize = 15',
    to: 'exactDigits: usize = 16',
    seed: 101,
  },
  {
    name: 'a key is expected without asking whose it is',
    file: 'dictionary.ts',
    from: ' | (load<u32>(record, keyOwner) ^ <u32>owner)',
    to: '',
  },
  {
    name: 'keys that begin alike are one',
    file: 'dictionary.ts',
    from: 'for (let block: usize = 0; block < length; block += blockBytes)',
    to: 'for (let block: usize = 0; block < min<usize>(length, 32); block += blockBytes)',
  },
  {
    name: 'a frame keeps what stood in the memory before',
    file: 'tape.ts',
    from: 'at < end; at += blockBytes) v128.store(at, i64x2.splat(0));',
    to: 'at < frame; at += blockBytes) {}',
  },
  {
    name: 'a window that does not begin at the first entry begins with a comma',
    file: 'print.ts',
    from: 'frame, place === 0, out)',
    to: 'frame, at === 0, out)',
  },
  {
    name: 'the first entry of an empty list is printed',
    file: 'print.ts',
    from: 'if (lengthOf(slot) === 0) return printNull(step, kindNull, out);',
    to: '',
  },
  {
    name: 'an entry of leaves is not noted',
    file: 'scan.ts',
    from: 'if (ofLeaves) at = scanValue(at, neverKey, frame + frameSlots, depth);',
    to: 'if (ofLeaves) at = skipValue(at, depth, neverKey);',
  },
  {
    name: 'a value that is skipped may end in the wrong bracket',
    file: 'skip.ts',
    from: 'if (byte !== closing(levels)) return refuse(refusedNotJson);',
    to: 'if ((byte | 0x20) !== 0x7d) return refuse(refusedNotJson);',
  },
];

test.each(faults)('$name', { timeout: 120_000 }, async ({ file, from, to, seed = 20_260_101 }) => {
  const faulty = `src/splice/assembly/${file}`;
  const built = await buildKernel((path, source) => {
    if (path !== faulty) return source;
    expect(source.split(from)).toHaveLength(2);
    return source.replace(from, to);
  });
  const splicer = createSplicer({ module: new WebAssembly.Module(built as BufferSource) });
  expect(() => compareWithModel(splicer, { runs: 2500, seed })).toThrow();
});
