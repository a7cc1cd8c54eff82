/** The gateway under test in front of the benchmark's upstream, configured as `npm start` does it. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { sandboxNetworks } from '../../src/providers/sandbox/networks.ts';

const config = readConfig({
  PORT: '0',
  UPSTREAM_URL: process.argv[2],
  NODE_ENV: 'production',
  LOG_LEVEL: 'warn',
  // Counted as ever, but never refused: one key makes all requests of the benchmark.
  REQUESTS_PER_MINUTE: '10000000',
  SECRET: 'the secret of the benchmark, of no use to anybody',
});
const now = () => new Date();
const logger = pino({ level: config.logLevel });
const app = await createApp(config, { logger, now, randomBytes, providers: sandboxNetworks({ clock: now }) });
process.send?.(await app.listen());
