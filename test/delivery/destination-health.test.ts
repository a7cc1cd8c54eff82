/** What outcomes that are stored together say of their destination. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RetryDecision } from '../../src/delivery/retry-policy.ts';
import { unsentDecision } from '../../src/delivery/retry-policy.ts';
import { type AttemptOutcome, settle, settlementOf } from '../../src/delivery/settle.ts';
import { databases } from '../support/databases.ts';
import { type DeliveringGateway, startDelivering } from '../support/deliveries.ts';

const gone: RetryDecision = { outcome: 'failed', gone: true, overloaded: false, pauseMs: 0 };
const failed: RetryDecision = { outcome: 'retry', gone: false, overloaded: false, delayMs: 5_000, pauseMs: 0 };

describe.each(databases)('health of a destination on $name', (dialect) => {
  let gateway: DeliveringGateway;

  beforeEach(async () => {
    gateway = await startDelivering({ dialect, delivery: { limits: { slots: 0 }, after: () => () => {} } });
  });
  afterEach(() => gateway.close());

  /** Stores the ends of attempts for one webhook, together. */
  const store = async (...ends: (readonly [RetryDecision, status: number | null])[]) => {
    const { database } = gateway.app;
    const webhookId = await gateway.webhook('https://hooks.example/');
    const outcomes: AttemptOutcome[] = [];
    for (const [decision, status] of ends) {
      const [deliveryId = ''] = (await gateway.emit(outcomes.length)).deliveries;
      const claimToken = `process0.${outcomes.length}`;
      await database.updateTable('deliveries').set({ claim_token: claimToken }).where('id', '=', deliveryId).execute();
      outcomes.push({
        deliveryId,
        claimToken,
        webhookId,
        decision,
        wasFailing: false,
        attempt: {
          delivery_id: deliveryId,
          number: 1,
          started_at: 0,
          duration_ms: 0,
          status,
          failure: null,
          response_body: '',
        },
      });
    }
    const now = gateway.clock.now.getTime();
    await database.transaction().execute((open) => settle(open, settlementOf(outcomes, now), now));
    return database
      .selectFrom('webhook_destinations')
      .select(['disabled_reason', 'failing_since'])
      .where('webhook_id', '=', webhookId)
      .executeTakeFirstOrThrow();
  };

  it('is gone after a 410, whatever else arrived with it', async () => {
    expect(await store([gone, 410], [failed, 500])).toMatchObject({ disabled_reason: 'gone' });
  });

  it('is not affected by attempts that could not be made', async () => {
    expect(await store([unsentDecision({ attempt: 1, random: () => 0.5 }), null])).toMatchObject({
      failing_since: null,
    });
  });
});
