/** Which webhooks receive an event. */
import { expect, it, test } from 'vitest';
import { type Listener, match } from '../../src/capabilities/webhooks/match.ts';
import type { DeliveryEvent } from '../../src/events/event.ts';

const event: DeliveryEvent = {
  id: 'e',
  workspaceId: 'w',
  accountId: 'a',
  accountType: 'PNET',
  source: 'users',
  event: 'new_relation',
  data: {},
};
const listener: Listener = {
  workspaceId: 'w',
  source: 'users',
  enabled: true,
  events: ['new_relation'],
  accountIds: [],
};

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
])('a webhook subscribed to %s', (_what, change, expected) => {
  expect(match(event, { ...listener, ...change })).toBe(expected);
});

it('matches no webhook with a trigger event', () => {
  expect(match({ ...event, source: null }, { ...listener, source: null })).toBeNull();
});
