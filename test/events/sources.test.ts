import { expect, test } from 'vitest';
import { sourceOfEvents, webhookEvents, webhookSourceNames, webhookSources } from '../../src/events/sources.ts';

test('no two sources share an event', () => {
  expect(new Set(webhookEvents).size).toBe(webhookEvents.length);
});

test.each(webhookSourceNames)('each event of %s leads back to its source', (source) => {
  for (const event of webhookSources[source].events) expect(sourceOfEvents([event])).toBe(source);
});

test.each([[[]], [['somebody_waved']]])('the events %j have no known source', (events) => {
  expect(sourceOfEvents(events)).toBeNull();
});
