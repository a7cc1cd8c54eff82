import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha256 } from '../src/kernel/paging.ts';

test("is node:crypto's", () => {
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
  fc.assert(
    fc.property(bytes(64), fc.array(bytes(300), { maxLength: 4 }), (key, parts) => {
      const expected = createHmac('sha256', key).update(Buffer.concat(parts)).digest();
      expect(hmacSha256(key)(...parts)).toEqual(expected);
    }),
  );
  expect(() => hmacSha256(new Uint8Array(65))).toThrow(RangeError);
});

test('forgets what it signed before', () => {
  const sign = hmacSha256(Buffer.from('key'));
  const [one, other] = [sign(Buffer.from('one')), sign(Buffer.from('other'))];
  expect(sign(Buffer.from('one'))).toEqual(one);
  expect(one).not.toEqual(other);
});
