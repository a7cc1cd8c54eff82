/** The parts of delivery that decide without doing: matching, payloads, signatures, retries, samples. */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, it, test } from 'vitest';
import { allot, type Demand } from '../../src/delivery/claim-quota.ts';
import { type Listener, match } from '../../src/delivery/match.ts';
import { buildPayload, contentTypes } from '../../src/delivery/payload.ts';
import { judge, maxAttempts, retryDelays } from '../../src/delivery/retry-policy.ts';
import { newSecret, rotated, secretText, signatureHeaders, validSecrets } from '../../src/delivery/signature.ts';
import type { DeliveryEvent } from '../../src/events/event.ts';
import { samplesOf } from '../../src/events/samples.ts';
import { webhookSourceNames, webhookSources } from '../../src/events/sources.ts';

const event: DeliveryEvent = {
  id: 'e',
  workspaceId: 'w',
  accountId: 'a',
  accountType: 'PNET',
  source: 'users',
  event: 'new_relation',
  data: { timestamp: '2026-11-20T12:00:00.000Z', user_full_name: 'Ämara & Lind=qvist', user_provider_id: null },
};
const listener: Listener = {
  workspaceId: 'w',
  source: 'users',
  enabled: true,
  events: ['new_relation'],
  accountIds: [],
};

describe('matching', () => {
  test.each<[string, Partial<Listener>, ReturnType<typeof match>]>([
    ['every account', {}, 'deliver'],
    ['this account', { accountIds: ['b', 'a'] }, 'deliver'],
    ['other accounts', { accountIds: ['b'] }, null],
    ['other events', { events: [] }, null],
    ['another source', { source: 'email' }, null],
    ['no source, as it is a trigger', { source: null }, null],
    ['another workspace', { workspaceId: 'x' }, null],
    ['nothing, as it is disabled', { enabled: false }, 'hold'],
    ['nothing of other accounts, disabled', { enabled: false, accountIds: ['b'] }, null],
  ])('a webhook that listens to %s', (_what, change, expected) => {
    expect(match(event, { ...listener, ...change })).toBe(expected);
  });

  it('never gives a fired trigger to a webhook that did not fire', () => {
    expect(match({ ...event, source: null }, { ...listener, source: null })).toBeNull();
  });
});

describe('payloads', () => {
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

  it('says all there is of a source without keys', () => {
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
});

describe('signatures', () => {
  const now = Date.now();
  const body = Buffer.from('{"any":"bytes — ümlaut"}');
  const headersOf = (list: string[]) =>
    Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : [])));

  it('are accepted by the published library, whatever the format of the body', () => {
    const secret = newSecret(randomBytes);
    for (const bytes of [body, Buffer.from('event=a&b=%C3%A4')]) {
      const headers = headersOf(signatureHeaders({ id: 'msg', now, body: bytes }, [secret]));
      expect(() => new Verifier(secretText(secret)).verify(bytes, headers, { jsonParse: false })).not.toThrow();
      expect(() => new Verifier(secretText(secret)).verify(`${bytes} `, headers, { jsonParse: false })).toThrow();
      expect(() =>
        new Verifier(secretText(newSecret(randomBytes))).verify(bytes, headers, { jsonParse: false }),
      ).toThrow();
    }
  });

  it('are made with the old and the new secret for a day after a rotation', () => {
    const old = newSecret(randomBytes);
    const secrets = rotated([old], now, randomBytes);
    const headers = headersOf(signatureHeaders({ id: 'msg', now, body }, secrets));
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of secrets) new Verifier(secretText(secret)).verify(body, headers);
    expect(validSecrets(secrets, now + 24 * 3_600_000 - 1)).toHaveLength(2);
    expect(validSecrets(secrets, now + 24 * 3_600_000)).toEqual([secrets[0]]);
  });
});

describe('shares', () => {
  const demand: Demand = { places: 100, rooms: new Map(), otherRoom: 8, after: '' };

  test.each<[string, string[], Partial<Demand>, ReturnType<typeof allot>]>([
    ['nothing is due', [], {}, []],
    [
      'there is room for all',
      ['b', 'a'],
      {},
      [
        ['a', 8],
        ['b', 8],
      ],
    ],
    [
      'one has more room',
      ['a', 'b'],
      { rooms: new Map([['a', 64]]) },
      [
        ['a', 50],
        ['b', 8],
      ],
    ],
    [
      'one has none',
      ['a', 'b'],
      {
        rooms: new Map([
          ['b', 0],
          ['a', 200],
        ]),
      },
      [['a', 100]],
    ],
    ['one has more on its way than it is trusted with', ['a', 'b'], { rooms: new Map([['a', -3]]) }, [['b', 8]]],
    [
      'there are fewer places than endpoints',
      ['a', 'b', 'c'],
      { places: 2 },
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [
      'the round goes on',
      ['a', 'b', 'c'],
      { places: 2, after: 'b' },
      [
        ['c', 1],
        ['a', 1],
      ],
    ],
    ['the round begins anew', ['a', 'b'], { places: 1, after: 'z' }, [['a', 1]]],
  ])('%s', (_, due, change, shares) => {
    expect(allot(due, { ...demand, ...change })).toEqual(shares);
  });

  it('are within the places and the rooms, and leave nobody out while there are places', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(
        ids,
        fc.nat(50),
        fc.nat(9),
        fc.string(),
        fc.array(fc.integer({ min: -3, max: 20 })),
        (due, ...rest) => {
          const [places, otherRoom, after, some] = rest;
          const rooms = new Map(some.map((room, index) => [due[index] ?? `not due ${index}`, room]));
          const shares = new Map(allot(due, { places, rooms, otherRoom, after }));
          const roomOf = (id: string) => Math.max(0, rooms.get(id) ?? otherRoom);
          for (const [id, count] of shares) expect(count).toBeLessThanOrEqual(roomOf(id));
          const sum = (counts: Iterable<number>) => [...counts].reduce((all, count) => all + count, 0);
          expect(sum(shares.values())).toBeLessThanOrEqual(places);
          if (sum(shares.values()) < places)
            for (const id of due) if (roomOf(id) > 0) expect(shares.has(id)).toBe(true);
        },
      ),
    );
  });
});

describe('retries', () => {
  const answer = (status: number | null, retryAfter: string | null = null) => ({ status, failure: null, retryAfter });
  const at = { attempt: 1, now: Date.parse('2026-11-20T12:00:00Z'), random: () => 0.5 };

  it('are ten attempts over about three days', () => {
    expect(maxAttempts).toBe(10);
    const days = retryDelays.reduce((sum, delay) => sum + delay) / 86_400_000;
    expect(days).toBeGreaterThan(2.9);
    expect(days).toBeLessThan(3.2);
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      expect(judge(answer(500), { ...at, attempt })).toMatchObject({
        outcome: attempt === maxAttempts ? 'failed' : 'retry',
        delay: retryDelays[attempt - 1] ?? 0,
      });
    }
  });

  it('are those of the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const units = { second: 1_000, minute: 60_000, hour: 3_600_000 };
    const rows = [...readme.matchAll(/^\| \d+ \| (\d+) (second|minute|hour)s? \|$/gm)];
    expect(rows.map(([, count, unit]) => Number(count) * units[unit as keyof typeof units])).toEqual(retryDelays);
  });

  it('are spread by a fifth to either side', () => {
    expect(judge(answer(500), { ...at, random: () => 0 }).delay).toBe(4_000);
    expect(judge(answer(500), { ...at, random: () => 1 }).delay).toBe(6_000);
  });

  test.each([
    [200, 'succeeded'],
    [204, 'succeeded'],
    [299, 'succeeded'],
    [301, 'retry'],
    [307, 'retry'],
    [400, 'retry'],
    [404, 'retry'],
    [500, 'retry'],
    [410, 'failed'],
  ] as const)('%i: %s', (status, outcome) => {
    expect(judge(answer(status), at).outcome).toBe(outcome);
  });

  it('does not take a broken answer for a success', () => {
    expect(judge({ status: 200, failure: 'timeout', retryAfter: null }, at)).toMatchObject({
      outcome: 'retry',
      slow: true,
    });
    expect(judge({ status: 410, failure: 'connection_lost', retryAfter: null }, at).gone).toBe(false);
  });

  test.each([429, 502, 503, 504])('%i slows the endpoint down', (status) => {
    expect(judge(answer(status), at)).toMatchObject({ slow: true, pause: 1_000 });
    expect(judge(answer(status, '20'), at)).toMatchObject({ delay: 20_000, pause: 20_000 });
    expect(judge(answer(status, '999999'), at)).toMatchObject({ delay: 12 * 3_600_000, pause: 300_000 });
  });
});

describe('samples', () => {
  it.each(webhookSourceNames)('of %s show every key that an emitter gives, and no other', (source) => {
    const keys: readonly string[] = webhookSources[source].keys;
    const given = keys.filter((key) => !['account_id', 'account_type', 'webhook_name'].includes(key));
    const shown = samplesOf(source, new Date()).flatMap(({ data }) => Object.keys(data));
    expect([...new Set(shown)].sort()).toEqual(source === 'account_status' ? ['timestamp'] : [...given].sort());
  });
});
