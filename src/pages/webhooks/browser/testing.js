/** Sends a test event, and says what came of it. */

import { duration, outcome } from './format.js';
import { act, ask } from './gateway.js';
import * as queries from './queries.js';

/** How often and how long the response to a test event is looked for. */
const lookMs = 700;
const looks = 40;

/** @returns {Promise<{ text: string, tone: string, deliveryId: string | undefined }>} what came of it, as far as it is known by then */
export async function testOf(webhookId) {
  const { deliveries } = await act(queries.sendTest, { webhookId });
  const deliveryId = deliveries?.find((each) => each?.webhookId === webhookId)?.deliveryId;
  for (let look = 0; deliveryId && look < looks; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    const { delivery } = (await ask(queries.outcomeOfDelivery, { deliveryId })).data;
    const attempt = delivery?.lastAttempt;
    if (!attempt) continue;
    const result = `${outcome(attempt)} after ${duration(attempt.durationMs)}`;
    if (delivery.state === 'SUCCEEDED') return { text: `It works: ${result}.`, tone: 'good', deliveryId };
    const next = delivery.state === 'PENDING' ? ' It is tried again.' : '';
    return { text: `It failed: ${result}.${next}`, tone: 'bad', deliveryId };
  }
  return { text: 'There is no response yet. The page shows it once it is there.', tone: 'good', deliveryId };
}
