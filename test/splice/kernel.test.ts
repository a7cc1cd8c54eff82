/** The kernel whose file is missing, and the one that fails. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSplicer, encodePlan } from '../../src/splice/splicer.ts';
import { builtFile } from './build-kernel.ts';

const encoded = encodePlan({ shape: {}, templates: [] });
const document = [Buffer.from('{}')];

describe('the file of the kernel', () => {
  const built = new WebAssembly.Module(readFileSync(builtFile));

  beforeEach(() => {
    vi.spyOn(WebAssembly, 'Module').mockImplementation(function damaged() {
      throw new WebAssembly.CompileError('damaged');
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('is not read where another build is given', () => {
    const splice = createSplicer({ module: built }).open(encoded);
    expect(splice.scan(document)).toBeTypeOf('object');
    splice.close();
  });

  test('is found missing or damaged when a splicer is made, not by a request', async () => {
    // Others in this process may have compiled it.
    vi.resetModules();
    const fresh = await import('../../src/splice/splicer.ts');
    expect(() => fresh.createSplicer()).toThrow('damaged');
  });
});

describe('a fault of the kernel', () => {
  /** A kernel that reserves memory and does nothing else, written by hand. @param scan the body of its export "scan" */
  const kernelThatScans = (scan: readonly number[]): WebAssembly.Module =>
    new WebAssembly.Module(
      Uint8Array.from([
        ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
        // Types: (i32) → i32, and one with three parameters.
        ...[0x01, 0x0d, 0x02, 0x60, 0x01, 0x7f, 0x01, 0x7f, 0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x01, 0x7f],
        // Import "env" "memory".
        ...[0x02, 0x0f, 0x01, 0x03, 0x65, 0x6e, 0x76, 0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 0x02, 0x00, 0x01],
        ...[0x03, 0x03, 0x02, 0x00, 0x01],
        // Exports "reserve" and "scan".
        ...[0x07, 0x12, 0x02, 0x07, 0x72, 0x65, 0x73, 0x65, 0x72, 0x76, 0x65, 0x00, 0x00],
        ...[0x04, 0x73, 0x63, 0x61, 0x6e, 0x00, 0x01],
        // Code: 1, and the body.
        ...[0x0a, scan.length + 9, 0x02, 0x04, 0x00, 0x41, 0x01, 0x0b, scan.length + 2, 0x00, ...scan, 0x0b],
      ]),
    );

  const faults: readonly (readonly [string, readonly number[], typeof Error | typeof WebAssembly.RuntimeError])[] = [
    ['a trap', [0x00], WebAssembly.RuntimeError],
    ['an address of nothing', [0x41, 0x00], RangeError],
    ['a code that means nothing', [0x41, 0x7a], RangeError],
  ];

  test.each(faults)('%s is thrown with its cause, and the instance is not used again', (_what, scan, cause) => {
    const splicer = createSplicer({ module: kernelThatScans(scan) });
    const { Memory } = WebAssembly;
    let made = 0;
    WebAssembly.Memory = class extends Memory {
      constructor(descriptor: WebAssembly.MemoryDescriptor) {
        super(descriptor);
        made++;
      }
    };
    try {
      for (let round = 1; round <= 3; round++) {
        const splice = splicer.open(encoded);
        splice.text('before');
        expect(() => splice.scan(document)).toThrow(
          expect.objectContaining({ message: 'The kernel failed', cause: expect.any(cause) }),
        );
        expect(() => splice.scan(document)).toThrow('The splice is closed');
        expect(() => splice.output()).toThrow('The splice is closed');
        splice.close();
        expect(made).toBe(round);
      }
    } finally {
      WebAssembly.Memory = Memory;
    }
  });
});
