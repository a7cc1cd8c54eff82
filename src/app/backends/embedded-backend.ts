import { connectedHere } from '../../auth/account-rule.ts';
import type { DeliveryRateLimits } from '../../capabilities/deliveries/limits.ts';
import { embeddedJobs } from '../../capabilities/jobs/embedded.ts';
import { embeddedPosts } from '../../capabilities/posts/embedded.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import { refusingSandboxKeys } from '../../providers/sandbox/keys.ts';
import { withDeadlines } from '../../providers/with-deadlines.ts';
import type { Database } from '../../store/database.ts';
import { linesOf } from '../../store/workspace-lines.ts';
import type { Config } from '../config/config.ts';
import { ensureDemo } from '../demo.ts';
import type { Backend, Dependencies } from './backend.ts';
import { openWebhooks } from './own-webhooks.ts';
import type { Sealing, Storage } from './storage.ts';

export async function embeddedBackend(
  storage: Storage,
  sealing: Sealing,
  config: Config,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits },
): Promise<Backend> {
  const { databases, authenticate, idempotency, ready } = storage;
  const { leases = {} } = dependencies;
  const providers = withDeadlines(dependencies.providers);
  const { delivery, vault, shared, ports } = await openWebhooks(
    storage,
    sealing,
    config,
    dependencies,
    connectedHere,
    async (vault) => {
      if (config.demo) await createDemo(databases.accounts, vault, config, dependencies);
    },
  );
  return {
    delivery,
    ports: {
      ...ports,
      serviceJudges: () => false,
      jobs: embeddedJobs({
        ...shared,
        storedBytes: delivery.storedBytes,
        database: databases.jobs,
        vault,
        inLine: linesOf(config.database, 'jobs'),
        network: providers.PNET,
        tuning: leases,
      }),
      posts: embeddedPosts({ database: databases.accounts, vault, providers, cursors: shared.cursors }),
    },
    authenticate: config.demo ? refusingSandboxKeys(authenticate) : authenticate,
    tenantOf: ({ workspaceId }) => workspaceId,
    idempotency,
    intake: null,
    ready,
    close: delivery.close,
  };
}

async function createDemo(
  database: Database,
  vault: Vault,
  config: Config,
  { logger, now, randomBytes }: Dependencies,
): Promise<void> {
  const file = await ensureDemo(database, {
    file: config.demoKeyFile,
    now: now(),
    vault,
    randomBytes,
  });
  if (file !== null) logger.info(`The database was empty: created a demo workspace; its API key is in ${file}`);
}
