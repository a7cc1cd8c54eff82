/** The rule for addresses that a caller's URL can lead to. */
import { describe, expect, test } from 'vitest';
import { addressRule, isRefusedTarget, readBlocks } from '../../src/net/addresses.ts';
import { hostileLiterals } from '../support/hostile-addresses.ts';

const publicOnly = addressRule([]);

const publicTargets = [
  'https://8.8.8.8/',
  'https://hooks.example/in',
  'https://[2606:4700:4700::1111]/',
  'https://notlocalhost/',
  'https://localhost.example/',
  'http://172.32.0.1/',
  'http://100.128.0.1/',
];

describe('address rules', () => {
  test('more than sixty different hostile addresses are tested', () => {
    expect(new Set(hostileLiterals).size).toBe(hostileLiterals.length);
    expect(hostileLiterals.length).toBeGreaterThan(60);
  });

  test.each(hostileLiterals)('%s is refused', (text) => {
    expect(isRefusedTarget(new URL(text), publicOnly)).toBe(true);
  });

  test.each(publicTargets)('%s is allowed', (text) => {
    expect(isRefusedTarget(new URL(text), publicOnly)).toBe(false);
  });

  test('an allowed block allows its own addresses and no others', () => {
    const rule = addressRule(readBlocks('127.0.0.0/8, 10.1.2.3, fd00::/8'));
    expect(['127.0.0.1', '10.1.2.3', 'fd00::1'].map(rule)).toEqual([true, true, true]);
    expect(['10.1.2.4', '192.168.0.1', '::1', 'not an address'].map(rule)).toEqual(Array(4).fill(false));
  });

  test.each(['nonsense', '10.0.0.0/33', '127.1', '10.0.0.0/8;192.168.0.0/16', 'localhost'])(
    '%s is not a block',
    (text) => {
      expect(() => readBlocks(text)).toThrow('must be addresses or blocks');
    },
  );
});
