import { expect, it } from 'vitest';
import { samplesOf } from '../../src/events/samples.ts';
import { webhookSourceNames, webhookSources } from '../../src/events/sources.ts';

it.each(webhookSourceNames)('of %s show every key that an emitter gives, and no other', (source) => {
  const keys: readonly string[] = webhookSources[source].keys;
  const given = keys.filter((key) => !['account_id', 'account_type', 'webhook_name'].includes(key));
  const shown = samplesOf(source, new Date()).flatMap(({ data }) => Object.keys(data));
  expect([...new Set(shown)].sort()).toEqual(source === 'account_status' ? ['timestamp'] : [...given].sort());
});
