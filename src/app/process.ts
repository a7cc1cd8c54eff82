/** The process: configuration → gateway → listen; signal → stop. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLog } from '../kernel/log.ts';
import { webhooksPage } from '../pages/webhooks/page.ts';
import { sandboxNetworks } from '../providers/sandbox/networks.ts';
import { openTelemetry } from '../telemetry/open.ts';
import { createApp } from './app.ts';
import { reportFailure } from './cli/report-error.ts';
import { configHelp, readConfig } from './config/config.ts';

const help = `Postern: a GraphQL gateway for jobs, posts and webhooks of connected accounts.

Usage: npm start [-- --help]

Environment variables, all optional:
${configHelp()}
`;

/** How long the process waits for requests in flight, once it takes no more. */
const drainMs = 20_000;

/**
 * A second signal ends the process at once, but only after this time. A sooner one is a duplicate: npm forwards the signal
 * that the terminal has already sent to the process.
 */
const repeatMs = 500;

/** Runs the gateway until a signal stops it; failures end the process with a message. */
export const run = (): Promise<void> => main().catch(reportFailure);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(process.env);
  const telemetry = await openTelemetry(config.telemetry, (fields, message) => logger.warn(fields, message));
  const logger = openLog(config.logLevel, telemetry.tracer, config.secrets);
  const now = () => new Date();
  const providers = sandboxNetworks({ clock: now });
  // Nothing else would end a start that waits, where the process is the first of a container.
  const giveUp = () => process.exit(1);
  process.on('SIGTERM', giveUp);
  process.on('SIGINT', giveUp);
  const app = await createApp(config, { logger, telemetry, now, randomBytes, providers });

  let stoppingSince: number | null = null;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince < repeatMs) return;
      logger.warn({ signal }, 'stopped at once');
      process.exit(1);
    }
    stoppingSince = performance.now();
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.error('requests in flight did not finish in time');
      process.exit(1);
    }, config.shutdownDelayMs + drainMs).unref();
    const closed = app.close().then(() => telemetry.close());
    closed.then(
      () => {
        logger.info('stopped');
        // Whatever is left, such as a connection that a client keeps open, must not keep the process alive.
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop).off('SIGTERM', giveUp);
  process.on('SIGINT', stop).off('SIGINT', giveUp);

  const address = await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  logger.info(`GraphiQL and GraphQL: ${address}/graphql`);
  if (app.metricsAddress !== null) logger.info(`Metrics: ${app.metricsAddress}`);
  if (config.webhooksPage && config.upstream === null) logger.info(`Webhooks: ${address}${webhooksPage}`);
  if (app.signInToken !== null) {
    // For the person at the terminal. Not to the log, which others may read.
    process.stderr.write(
      `\nGraphiQL with the demo key: ${address}/graphql?token=${app.signInToken}\n(The link works once, within an hour.)\n\n`,
    );
  }
}
