/** The webhooks that a gateway with own webhooks has at its service. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { learnAccounts } from '../../auth/account-repository.ts';
import { ensureWorkspace } from '../../auth/workspaces.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { findSecrets, keyringOf } from '../../kernel/secrets/secret.ts';
import { openDatabase } from '../../store/database.ts';
import { migrations } from '../../store/migrations/index.ts';
import { serviceWorkspace } from '../backends/fronting-backend.ts';
import { openService } from '../backends/upstream-backend.ts';
import type { Config } from '../config/config.ts';
import type { Registration } from '../intake/intake.ts';
import { createRegistrar, secretOf } from '../intake/open.ts';
import { choiceOption, readOptions, runProgram, table } from './command.ts';
import { UsageError, writeNote } from './report-error.ts';

const usage = `Manages the webhooks that send the events of a service to a gateway with WEBHOOKS=own.

Usage:
  npx postern intake status
  npx postern intake sync
  npx postern intake remove

status  lists the events, and whether the service has the webhook of each. The exit code is 1 if one is missing.
sync    creates the webhooks that are missing, and replaces those that were changed or disabled. The gateway does so at
        its start, and every ten minutes.
remove  deletes them. A gateway that runs creates them again: stop it first.
`;

type Registrar = ReturnType<typeof createRegistrar>;

const commands = {
  status: async (registrar: Registrar) => told(await registrar.status()),
  sync: async (registrar: Registrar) => told(await registrar.sync()),
  remove: async (registrar: Registrar) => `Deleted ${await registrar.remove()} webhooks at the service.`,
} as const;

await runProgram(usage, process.argv.slice(2), (args) => {
  const [name = ''] = readOptions(args, [], 1).positionals;
  const command = choiceOption(name, 'The command', Object.keys(commands) as (keyof typeof commands)[]);
  return (config) => withRegistrar(config, commands[command]);
});

async function withRegistrar(config: Config, work: (registrar: Registrar) => Promise<string>): Promise<string> {
  const { upstream, intake: settings } = config;
  if (upstream === null || settings === null) throw new UsageError('The command needs WEBHOOKS=own. See --help.');
  const keys = keyringOf(await findSecrets(config, randomBytes))('intake');
  const now = () => new Date();
  const database = await openDatabase(config.database, migrations);
  try {
    const { service } = openService(
      { ...upstream, secrets: [secretOf(keys.current)] },
      { logger: pino({ level: 'silent' }), now },
    );
    try {
      const workspaceId = await ensureWorkspace(database, serviceWorkspace, { now: now(), randomBytes });
      const learn = (accounts: Parameters<typeof learnAccounts>[2]) =>
        learnAccounts(database, workspaceId, accounts, now());
      return await work(createRegistrar({ service, settings, keys, database, workspaceId, now, learn }));
    } catch (error) {
      throw withCure(error);
    } finally {
      await service.close();
    }
  } finally {
    await database.destroy();
  }
}

function withCure(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  switch (error.errorName) {
    case 'provider_error':
      return new UsageError(`${error.message} Check UPSTREAM_API_KEY and UPSTREAM_URL.`);
    case 'service_unavailable':
    case 'network_down':
    case 'request_timeout':
      return new UsageError(`${error.message} Check UPSTREAM_URL, and HTTP_PROXY or HTTPS_PROXY if you use a proxy.`);
    default:
      return error;
  }
}

function told(registrations: readonly Registration[]): string {
  const lacking = registrations.filter(({ state }) => state !== 'active');
  if (lacking.length > 0) {
    process.exitCode = 1;
    const cure = lacking.some(({ state }) => state === 'missing')
      ? ' To create what is missing, start the gateway, or run "npx postern intake sync".'
      : '';
    writeNote(`The service does not send ${lacking.length} of ${registrations.length} events.${cure}`);
  }
  return table(
    ['EVENT', 'STATE', 'WHY'],
    registrations.map(({ event, state, detail }) => [event, state, detail ?? '']),
  );
}
