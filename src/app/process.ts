/** The process: environment → gateway → listen; signal → stop. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openLog } from '../kernel/log.ts';
import { signInToken } from '../pages/graphiql/sign-in.ts';
import { reportFailure, reportUncaught } from './cli/report-error.ts';
import { type Config, configHelp, readConfig } from './config/config.ts';
import { closeMs, openGateway, stopMs } from './gateway.ts';

const help = `Postern: a GraphQL gateway for jobs, posts and webhooks of connected accounts.

Usage: npx postern start [--help]

Environment variables, all optional:
${configHelp()}
`;

/** Milliseconds before a second signal ends the process: npm forwards the terminal's, which doubles it. */
const repeatMs = 500;

/** Runs until a signal; failures end the process with a message. */
export const run = (): Promise<void> =>
  main().catch((error: unknown) => {
    // Of a process behind a primary, which nothing else ends.
    process.channel?.unref();
    reportFailure(error);
  });

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
  // Nothing else ends a start that waits, as the first process of a container.
  const giveUp = () => process.exit(1);
  process.on('SIGTERM', giveUp);
  process.on('SIGINT', giveUp);
  const gateway = await openGateway(config, { siblings, willListen: true });
  const { logger } = gateway;

  let isStopping = false;
  const stop = (reason: NodeJS.Signals | 'replaced') => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal: reason }, 'stopping');
    gateway.close().then(
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
    const isRepeated = performance.now() - signalledAt >= repeatMs;
    if (isStopping && isRepeated) {
      logger.warn({ signal }, 'stopped at once');
      process.exit(1);
    }
    const stopAlone = () => stop(signal);
    if (siblings === undefined || isRepeated) stopAlone();
    else siblings.claimSuccessor().then((isReplaced) => isReplaced || stopAlone(), stopAlone);
  };
  process.on('SIGTERM', onSignal).off('SIGTERM', giveUp);
  process.on('SIGINT', onSignal).off('SIGINT', giveUp);
  siblings?.onLeave(() => {
    // The signal for which it is replaced asked for no more: the next is the first to stop it.
    signalledAt = null;
    gateway.leave();
    stop('replaced');
  });

  const address = await gateway.listen().catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  if (gateway.signInPath !== null) {
    // For the terminal only: others may read the log.
    process.stderr.write(
      `\nGraphiQL with the demo key: ${address}${gateway.signInPath}\n(The link works once, within an hour.)\n\n`,
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
