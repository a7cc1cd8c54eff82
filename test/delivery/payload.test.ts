/** The body of a delivery. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { buildPayload, contentTypes } from '../../src/delivery/payload.ts';
import type { DeliveryEvent } from '../../src/events/event.ts';

const event: DeliveryEvent = {
  id: 'e',
  workspaceId: 'w',
  accountId: 'a',
  accountType: 'PNET',
  source: 'users',
  event: 'new_relation',
  data: { timestamp: '2026-11-20T12:00:00.000Z', user_full_name: 'Ämara & Lind=qvist', user_provider_id: null },
};
const data = [
  { name: 'who', key: 'user_full_name' },
  { name: 'hook', key: 'webhook_name' },
  { name: 'account', key: 'account_id' },
  { name: 'missing', key: 'user_picture_url' },
  { name: 'nothing', key: 'user_provider_id' },
  { name: 'event', key: 'account_type' },
];

it('has the chosen fields under the chosen names, and always the event', () => {
  expect(contentTypes.json).toBe('application/json');
  expect(buildPayload(event, { name: 'Hook', format: 'json', data })).toBe(
    '{"event":"new_relation","who":"Ämara & Lind=qvist","hook":"Hook","account":"a","nothing":null}',
  );
});

it('has scalars as text and the rest as JSON text in a form', () => {
  const rich = { ...event, data: { user_full_name: 'Ä&=', timestamp: [1, { a: 'b' }], user_provider_id: true } };
  const body = buildPayload(rich, {
    name: null,
    format: 'form',
    data: [...data, { name: 'at', key: 'timestamp' }],
  });
  expect(contentTypes.form).toBe('application/x-www-form-urlencoded');
  expect([...new URLSearchParams(body)]).toEqual([
    ['event', 'new_relation'],
    ['who', 'Ä&='],
    ['hook', ''],
    ['account', 'a'],
    ['nothing', 'true'],
    ['at', '[1,{"a":"b"}]'],
  ]);
});

it('has every field of a source without keys', () => {
  const status = { ...event, source: 'account_status' as const, event: 'stopped', data: { timestamp: 't' } };
  const body = buildPayload(status, { name: 'H', format: 'json', data: [] });
  expect(JSON.parse(body)).toEqual({
    event: 'stopped',
    timestamp: 't',
    account_id: 'a',
    account_type: 'PNET',
    webhook_name: 'H',
  });
});

it('keeps any name and any value, in either format', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.jsonValue(), (name, value) => {
      fc.pre(name !== 'event');
      const target = { name: null, data: [{ name, key: 'k' }] };
      const rich = { ...event, data: { k: value } };
      const json = JSON.parse(buildPayload(rich, { ...target, format: 'json' }));
      expect(JSON.stringify(json)).toBe(
        JSON.stringify(
          Object.fromEntries([
            ['event', 'new_relation'],
            [name, value],
          ]),
        ),
      );
      const form = new URLSearchParams(buildPayload(rich, { ...target, format: 'form' }));
      expect(form.getAll(name)).toHaveLength(1);
    }),
  );
});
