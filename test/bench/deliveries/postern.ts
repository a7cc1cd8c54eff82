/** Postern as a sender: a whole gateway with its delivery engine, on SQLite or Postgres. */
import '../../../src/app/v8-flags.js';
import { benchGateway } from '../gateway.ts';
import { eventData, mapping } from './payload.ts';
import { orderOf, serve } from './serve.ts';

const { role, place, urls } = orderOf(process.argv);
/** A producer sends nothing, whatever is due. */
const tuning = role === 'producer' ? { limits: { slots: 0 }, pollMs: 1_000_000 } : {};
const { app, delivery, emit, webhook } = await benchGateway(place, tuning);
const { database } = app;
const emissionsAtOnce = 500;

if (role === 'producer') {
  for (const url of urls) await webhook(url, { data: JSON.stringify(mapping) });
}

const enable = (enabled: 0 | 1) => database.updateTable('webhooks').set({ enabled }).execute();

serve({
  async fill(count) {
    const events = count / urls.length;
    await enable(0);
    for (let n = 0; n < events; n += emissionsAtOnce) {
      const numbers = Array.from({ length: Math.min(emissionsAtOnce, events - n) }, (_, i) => n + i);
      await Promise.all(numbers.map((each) => emit(each, 'mail_sent', eventData(each))));
    }
    await enable(1);
  },
  async release() {
    await database.updateTable('deliveries').set({ state: 'pending' }).where('state', '=', 'held').execute();
    return performance.timeOrigin + performance.now();
  },
  wake: () => delivery.worker.wake(),
  settled: () => delivery.worker.idle(),
  emit: (n) => emit(n, 'mail_sent', eventData(n)),
});
