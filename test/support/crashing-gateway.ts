/**
 * A delivery engine in a process of its own, put together as in a gateway but without its faces, that emits without pause, to be killed at any moment. It writes the
 * acknowledged events to its standard output: a line for each, written before the next one is emitted.
 *
 *   node test/support/crashing-gateway.ts <database url> <prefix of the events> <emitters>
 *     <lease in milliseconds> <pause of an emitter after each event, 0 for one now and then>
 *
 * It loads its program, writes `loaded`, and opens the database only when something comes in on its standard input: so the
 * next gateway is at hand when one is killed, and a run of a thousand kills does not consist of loading.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { pino } from 'pino';
import { readConfig } from '../../src/app/config/config.ts';
import { startDeliveryEngine } from '../../src/delivery/engine.ts';
import { addressRule } from '../../src/net/addresses.ts';
import { createResolver } from '../../src/net/dns/resolver.ts';
import { openChannels } from '../../src/store/channels.ts';
import { openDatabases } from '../../src/store/databases.ts';
import { aliveWhileOpen, newProcessId } from '../../src/store/presence.ts';
import { benchEmission } from '../bench/emission.ts';
import { testSecret, testVault } from './webhooks.ts';

const [url = '', prefix = '', emitters = '4', leaseMs = '5000', pauseMs = '0'] = process.argv.slice(2);
// Otherwise it is written at the exit of a process, which no process here has.
flushCompileCache();
writeSync(1, 'loaded\n');
await once(process.stdin, 'data');
process.stdin.destroy();
const config = readConfig({ DATABASE_URL: url, SECRET: testSecret, OUTBOUND_ALLOW: '127.0.0.0/8' });
const logger = pino({ level: 'error' }, pino.destination(2));
const processId = newProcessId(randomBytes);
const databases = await openDatabases(config.database, () => {}, { queueSession: aliveWhileOpen(processId) });
const { emit } = startDeliveryEngine({
  database: databases.deliveries,
  queueDatabase: databases.queue,
  location: config.database,
  channels:
    config.database.kind === 'postgres' ? openChannels(config.database, { onSilent: databases.renew, logger }) : null,
  processId,
  vault: testVault,
  allows: addressRule(config.outboundAllow),
  lookup: createResolver({ servers: config.dnsServers }),
  maxBytes: config.deliveryMaxBytes,
  retentionDays: config.deliveryRetentionDays,
  maxEvents: config.deliveryMaxEvents,
  logger,
  now: () => new Date(),
  randomBytes,
  tuning: { deadlineMs: 2_000, leaseMs: Number(leaseMs), pollMs: 200 },
});

await Promise.all(
  Array.from({ length: Number(emitters) }, async (_, emitter) => {
    for (let n = 0; ; n += 1) {
      const id = `${prefix}-${emitter}-${n}`;
      await emit(benchEmission(id));
      // Synchronously: what was written is with the reader, whatever happens to this process next.
      writeSync(1, `${id}\n`);
      // A pause now and then, so that there are moments with little and with much on its way.
      const pause = Number(pauseMs) || (n % 8 === 0 ? 5 : 0);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }),
);
