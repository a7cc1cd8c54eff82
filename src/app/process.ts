/** The process: configuration → gateway → listen; signal → stop. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stopLimits } from '../http/connections.ts';
import { closeAll } from '../kernel/lib/close-all.ts';
import { openLog } from '../kernel/log.ts';
import { findSecrets } from '../kernel/secrets/secret.ts';
import { signInToken } from '../pages/graphiql/sign-in.ts';
import { webhooksPage } from '../pages/webhooks/page.ts';
import { sandboxNetworks } from '../providers/sandbox/networks.ts';
import { withPictures } from '../providers/sandbox/pictures.ts';
import { openTelemetry } from '../telemetry/open.ts';
import { createApp } from './app.ts';
import { reportFailure, reportUncaught } from './cli/report-error.ts';
import { type Config, configHelp, readConfig } from './config/config.ts';

const help = `Postern: a GraphQL gateway for jobs, posts and webhooks of connected accounts.

Usage: npx postern start [--help]

Environment variables, all optional:
${configHelp()}
`;

/** Milliseconds for the rest of a stop, after those for requests. */
const closeMs = 4_000;

/** Milliseconds before a second signal ends the process: npm forwards the terminal's, which doubles it. */
const repeatMs = 500;

/** Runs until a signal; failures end the process with a message. */
export const run = (): Promise<void> =>
  main().catch((error: unknown) => {
    // Of a process behind a primary, which nothing else ends.
    process.channel?.unref();
    reportFailure(error);
  });

/** Milliseconds of a whole stop. */
const stopMs = ({ shutdownDelayMs }: Config): number => shutdownDelayMs + stopLimits.drainMs + closeMs;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  reportUncaught();
  const config = readConfig(process.env);
  const siblings = config.processes === 1 ? undefined : await joinSiblings(config);
  if (siblings === null) return startProcesses(config);
  const secrets = await findSecrets(config, randomBytes);
  const telemetry = await openTelemetry(config.telemetry, (fields, message) => logger.warn(fields, message));
  const logger = openLog(config.logLevel, telemetry.tracer, [...config.secrets, secrets.current]);
  if (config.inVain.length > 0)
    logger.warn({ variables: config.inVain }, 'variables of earlier versions are set and have no effect');
  const now = () => new Date();
  const providers = withPictures(sandboxNetworks({ clock: now }), config.sandboxPictures);
  // Nothing else ends a start that waits, as the first process of a container.
  const giveUp = () => process.exit(1);
  process.on('SIGTERM', giveUp);
  process.on('SIGINT', giveUp);
  const app = await createApp(config, { logger, secrets, telemetry, now, randomBytes, providers, siblings });

  let isStopping = false;
  const stop = (reason: NodeJS.Signals | 'replaced') => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal: reason }, 'stopping');
    setTimeout(() => {
      logger.error('could not stop in time');
      process.exit(1);
    }, stopMs(config)).unref();
    const closed = closeAll([telemetry.close, app.close]);
    closed.then(
      () => {
        logger.info('stopped');
        // A connection that a client keeps open must not keep the process alive.
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  let signalledAt: number | null = null;
  const onSignal = (signal: NodeJS.Signals) => {
    signalledAt ??= performance.now();
    if (isStopping && performance.now() - signalledAt >= repeatMs) {
      logger.warn({ signal }, 'stopped at once');
      process.exit(1);
    }
    stop(signal);
  };
  process.on('SIGTERM', onSignal).off('SIGTERM', giveUp);
  process.on('SIGINT', onSignal).off('SIGINT', giveUp);
  siblings?.onLeave(() => {
    app.leave();
    stop('replaced');
  });

  const address = await app.listen().catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  await siblings?.serves();
  if (siblings?.isFirst === false) return;
  if (config.needsDatabase && config.database.kind === 'sqlite')
    logger.info(`Database: ${resolve(config.database.file)}`);
  if (config.upstream !== null) logger.info(`Service: ${config.upstream.origin} (${config.setUp})`);
  logger.info(`GraphiQL and GraphQL: ${address}/graphql`);
  if (app.metricsAddress !== null) logger.info(`Metrics: ${app.metricsAddress}`);
  if (config.webhooksPage) logger.info(`Webhooks: ${address}${webhooksPage}`);
  if (config.openings.length > 0) logger.info(`NODE_ENV=development: ${config.openings.join(', and ')}`);
  if (app.signInToken !== null) {
    // For the terminal only: others may read the log.
    process.stderr.write(
      `\nGraphiQL with the demo key: ${address}/graphql?token=${app.signInToken}\n(The link works once, within an hour.)\n\n`,
    );
  }
}

/** @returns null in the primary */
async function joinSiblings({ processes }: Config) {
  const { joinProcesses } = await import('./processes/siblings.ts');
  return joinProcesses(processes);
}

/** Several processes, each of which runs {@link main}. */
async function startProcesses(config: Config): Promise<void> {
  const { runProcesses } = await import('./processes/primary.ts');
  const logger = openLog(config.logLevel, null, config.secrets);
  const code = await runProcesses(config.processes, {
    logger,
    signInToken: signInToken(randomBytes),
    leaveMs: stopMs(config) + closeMs,
  });
  process.exit(code);
}
