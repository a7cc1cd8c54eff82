import { expect, test } from 'vitest';
import { emittableKeys } from '../../src/events/event.ts';

test('an emitter sets the keys of its source, except those that the gateway sets', () => {
  expect(emittableKeys('users')).toEqual([
    'timestamp',
    'user_provider_id',
    'user_full_name',
    'user_public_identifier',
    'user_profile_url',
    'user_picture_url',
  ]);
});

test('an emitter sets the time alone for a source without keys to choose from', () => {
  expect(emittableKeys('account_status')).toEqual(['timestamp']);
});
