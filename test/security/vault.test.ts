/** Secrets in the database: what is sealed, and where it can be opened. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createVault } from '../../src/kernel/secrets/vault.ts';

describe('a sealed text', () => {
  const vault = createVault(randomBytes(32), randomBytes);
  const sealed = vault.seal('here', 'a secret: ä');

  test('opens in its own place', () => {
    expect(sealed).not.toContain('secret');
    expect(vault.open('here', sealed)).toBe('a secret: ä');
  });

  test('is another text each time', () => {
    expect(vault.seal('here', 'a secret: ä')).not.toBe(sealed);
  });

  test('does not open in another place, with another key, or after a change', () => {
    const flipped = `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`;
    expect(() => vault.open('there', sealed)).toThrow('cannot be opened');
    expect(() => createVault(randomBytes(32), randomBytes).open('here', sealed)).toThrow('cannot be opened');
    expect(() => vault.open('here', flipped)).toThrow('cannot be opened');
    expect(() => vault.open('here', 'sealed1:AAAA')).toThrow('cannot be opened');
  });

  test('is distinguished from a text that was never sealed', () => {
    expect(() => vault.open('here', '[]')).toThrow('is not sealed');
  });
});
