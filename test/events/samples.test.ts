/** The events of the contract: their sources, and what is sent for each. */
import { describe, expect, it, test } from 'vitest';
import { emittableKeys } from '../../src/events/event.ts';
import { samplesOf } from '../../src/events/samples.ts';
import { sourceOfEvents, webhookEvents, webhookSourceNames, webhookSources } from '../../src/events/sources.ts';

test('no two sources share an event', () => {
  expect(new Set(webhookEvents).size).toBe(webhookEvents.length);
});

test.each([[[]], [['somebody_waved']]])('the events %j have no known source', (events) => {
  expect(sourceOfEvents(events)).toBeNull();
});

test('an emitter sets the time alone for a source without keys to choose from', () => {
  expect(emittableKeys('account_status')).toEqual(['timestamp']);
});

const at = new Date('2026-11-20T12:00:00Z');

describe.each(webhookSourceNames)('samples of %s', (source) => {
  const samples = samplesOf(source, at);

  it('show each event of the source once, which leads back to it', () => {
    expect(samples.map(({ event }) => event)).toEqual(webhookSources[source].events);
    for (const { event } of samples) expect(sourceOfEvents([event])).toBe(source);
  });

  it('have data for every key that an emitter may set, and for no other', () => {
    const shown = samples.flatMap(({ data }) => Object.keys(data));
    expect([...new Set(shown)].sort()).toEqual([...emittableKeys(source)].sort());
  });

  it('have payloads with the event, the data and the fields that the gateway sets', () => {
    const keys: readonly string[] = webhookSources[source].keys;
    for (const { event, data, payload } of samples) {
      expect(Object.keys(payload)[0]).toBe('event');
      expect(payload).toMatchObject({ ...data, event });
      const set = Object.keys(payload).filter((key) => key !== 'event' && !(key in data));
      const all = ['account_id', 'account_type', 'webhook_name'];
      expect(set.sort()).toEqual(keys.length === 0 ? all : all.filter((key) => keys.includes(key)));
    }
  });
});
