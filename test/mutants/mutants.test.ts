import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';
import { replaced } from './replacement.ts';

test.each([...mutants])('has a place: %s', (_, { replacements }) => {
  for (const replacement of replacements) {
    const source = readFileSync(join(import.meta.dirname, '../../src', replacement.file), 'utf8');
    expect(() => replaced(source, replacement)).not.toThrow();
  }
});
