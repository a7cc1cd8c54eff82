import { expect, test } from 'vitest';
import { createAssets, textTypes } from '../../src/http/static-files.ts';

test('of two files with one name none is served in the place of the other', () => {
  const named = (name: string) => [name, textTypes.js, ''] as const;
  expect(() => createAssets([named('main.js'), named('bar.js'), named('main.js')])).toThrow('Two files');
  expect(createAssets([named('main.js'), named('bar.js')]).find('bar.js')).toBeDefined();
});
