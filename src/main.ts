/** The process: configuration → gateway → listening; signals → stopped. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createApp } from './app.ts';
import { ConfigError, configHelp, readConfig } from './config.ts';
import { sandboxNetworks } from './networks/sandbox.ts';

const help = `Postern: a GraphQL gateway for jobs, posts and webhooks of connected accounts.

Usage: npm start [-- --help]

Environment, all of it optional:
${configHelp()}
`;

/** How long requests in flight may take to end after a signal before the process ends without them. */
const drainMs = 20_000;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(process.env);
  const logger = pino({ level: config.logLevel });
  const now = () => new Date();
  const app = await createApp(config, { logger, now, randomBytes, networks: sandboxNetworks({ clock: now }) });

  const stop = (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    setTimeout(() => {
      logger.error('requests in flight did not end in time');
      process.exit(1);
    }, drainMs).unref();
    app.close().then(
      () => logger.info('stopped'),
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop cleanly');
        process.exitCode = 1;
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  const address = await app.listen();
  logger.info(`GraphiQL and GraphQL: ${address}/graphql`);
}

main().catch((error: unknown) => {
  const message = error instanceof ConfigError ? error.message : (error as Error).stack;
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
});
