import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJobId, newJobId } from '../src/capabilities/jobs/repository.ts';
import { fitsPath, isId, newId } from '../src/kernel/ids.ts';

const bytesOf = (bytes: Uint8Array) => (size: number) => Buffer.from(bytes.subarray(0, size));

describe('ids', () => {
  it('are 22 characters of base64url, and none can be taken for an option of a command', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const id = newId(bytesOf(bytes));
        expect(isId(id)).toBe(true);
        expect(id).toMatch(/^[^-]/);
      }),
    );
    // 0xf8 alone begins with a hyphen in base64url.
    expect(newId(() => Buffer.alloc(16, 0xf8))).toBe(`e${Buffer.alloc(16, 0xf8).toString('base64url').slice(1)}`);
  });

  it('of postings are digits, the first not zero', () => {
    for (let n = 0; n < 100; n += 1) {
      const id = newJobId(randomBytes);
      expect(isJobId(id)).toBe(true);
      expect(id).toMatch(/^[1-9]\d{14}$/);
    }
  });

  it('fit a path if they are ids of the contract, or of a service that has others', () => {
    for (const id of [
      'ACoSandbox250',
      '900043',
      'sandbox.sixty',
      'jo_ão-1',
      'urn:li:1',
      'a@b',
      '...',
      'a b',
      'A+b=',
      '名前',
    ]) {
      expect({ id, fits: fitsPath(id) }).toEqual({ id, fits: true });
    }
  });

  it('do not fit a path with any character that structures an address, wherever it stands', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom('/', '\\', '%', '?', '#', ';', '\0', '\n', '\u009f', '／'),
        fc.string(),
        (a, b, c) => {
          expect(fitsPath(a + b + c)).toBe(false);
        },
      ),
    );
  });
});
