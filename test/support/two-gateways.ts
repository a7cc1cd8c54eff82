import { onTestFinished } from 'vitest';
import { databases } from './databases.ts';
import { startGateway } from './gateway.ts';

/** Starts two gateways on one database, for a test that stops one of them. They end with the test. */
export async function startTwoGateways() {
  const place = await (databases[0] as (typeof databases)[number]).withSchema();
  const options = { environment: { DATABASE_URL: place.url } };
  const [first, second] = [await startGateway(options), await startGateway(options)];
  onTestFinished(async () => {
    await first.close();
    await second.close();
    await place.drop();
  });
  return { first, second };
}
