/** Which fields a payload has: chosen ones under chosen names, or all of them. */
import { describe, expect, it, test } from 'vitest';
import { defaultMapping, type PayloadEvent, payloadFields } from '../../src/events/event.ts';
import { sampleData } from '../../src/events/samples.ts';
import { type WebhookEvent, webhookSourceNames, webhookSources } from '../../src/events/sources.ts';

const event: PayloadEvent = {
  accountId: 'a',
  accountType: 'PNET',
  source: 'users',
  event: 'new_relation',
  data: { user_full_name: 'Grace', user_profile_url: undefined, user_picture_url: null },
};
const fields = (change: Partial<PayloadEvent>, data: { name: string; key: string }[], name: string | null = 'Hook') =>
  payloadFields({ ...event, ...change }, { name, data });

describe('a source whose fields a webhook chooses', () => {
  it('has the chosen fields under the chosen names and in the chosen order, behind the event', () => {
    const data = [
      { name: 'hook', key: 'webhook_name' },
      { name: 'who', key: 'user_full_name' },
      { name: 'whose', key: 'account_id' },
    ];
    expect(fields({}, data)).toEqual([
      ['event', 'new_relation'],
      ['hook', 'Hook'],
      ['who', 'Grace'],
      ['whose', 'a'],
    ]);
  });

  it('leaves out keys without a value, and keeps null', () => {
    const data = ['user_profile_url', 'user_provider_id', 'user_picture_url'].map((key) => ({ name: key, key }));
    expect(fields({}, data)).toEqual([
      ['event', 'new_relation'],
      ['user_picture_url', null],
    ]);
  });

  it('never replaces the event', () => {
    expect(fields({}, [{ name: 'event', key: 'user_full_name' }])).toEqual([['event', 'new_relation']]);
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'finds no value under %s, which the event does not have',
    (key) => {
      expect(fields({}, [{ name: 'x', key }])).toEqual([['event', 'new_relation']]);
    },
  );
});

test.each(webhookSourceNames)(
  'the default mapping of %s has every key of the source, with the values of a sample',
  (source) => {
    const { events, keys }: { events: readonly WebhookEvent[]; keys: readonly string[] } = webhookSources[source];
    expect(defaultMapping(source)).toEqual(keys.map((key) => ({ name: key, key })));
    for (const name of events) {
      const data = sampleData(source, name, new Date(0));
      const payload = Object.fromEntries(fields({ source, event: name, data }, defaultMapping(source)));
      expect(payload).toMatchObject(data);
      expect(payload).toMatchObject({ event: name, account_id: 'a' });
    }
  },
);
