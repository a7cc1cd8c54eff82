import { describe, expect, test } from 'vitest';
import { apiKeyOf } from '../../src/auth/admission.ts';

describe('the API key of a request', () => {
  test.each([
    [{ 'x-api-key': 'a' }, 'a'],
    [{ authorization: 'Bearer b' }, 'b'],
    [{ authorization: 'bearer   b' }, 'b'],
    [{ 'x-api-key': 'a', authorization: 'Bearer b' }, 'a'],
    [{ authorization: 'Basic b' }, undefined],
    [{ authorization: 'Bearer b c' }, undefined],
    [{}, undefined],
  ])('%j', (headers, key) => {
    expect(apiKeyOf({ headers })).toBe(key);
  });
});
