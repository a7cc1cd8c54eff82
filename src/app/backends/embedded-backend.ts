import { embeddedAccounts } from '../../capabilities/accounts/embedded.ts';
import { embeddedDeliveries } from '../../capabilities/deliveries/embedded.ts';
import type { DeliveryRateLimits } from '../../capabilities/deliveries/limits.ts';
import { embeddedJobs } from '../../capabilities/jobs/embedded.ts';
import { embeddedPosts } from '../../capabilities/posts/embedded.ts';
import { createMissingSecrets } from '../../capabilities/webhooks/destinations.ts';
import { embeddedWebhooks } from '../../capabilities/webhooks/embedded.ts';
import { startDeliveryEngine } from '../../delivery/engine.ts';
import { cursorCodec } from '../../kernel/paging.ts';
import { createVault, type Vault } from '../../kernel/secrets/vault.ts';
import { addressRule, isRefusedTarget } from '../../net/addresses.ts';
import { createResolver } from '../../net/dns/resolver.ts';
import { refusingSandboxKeys } from '../../providers/sandbox/keys.ts';
import { withDeadlines } from '../../providers/with-deadlines.ts';
import type { Database } from '../../store/database.ts';
import { createReadBudget, readLimits, scansAtOnce } from '../../store/read-budget.ts';
import { noTelemetry } from '../../telemetry/telemetry.ts';
import type { Config } from '../config/config.ts';
import { ensureDemo } from '../demo.ts';
import { withSandboxReceiver } from '../sandbox.ts';
import type { Backend, Dependencies } from './backend.ts';
import type { Sealing, Storage } from './storage.ts';

export async function embeddedBackend(
  { databases, channels, processId, authenticate, tokens, idempotency, useSecret, ready }: Storage,
  sealing: Sealing,
  config: Config,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits },
): Promise<Backend> {
  const {
    logger,
    now,
    randomBytes,
    limits,
    telemetry = noTelemetry,
    troubles,
    delivery: tuning = {},
    leases = {},
  } = dependencies;
  const providers = withDeadlines(dependencies.providers);
  const vaultKeys = sealing.keyring('webhook-secrets');
  const vault = createVault(vaultKeys.current, randomBytes, vaultKeys.previous);
  await useSecret(sealing, vault);
  if (config.demo) await createDemo(databases.accounts, vault, config, dependencies);
  const allows = addressRule(config.outboundAllow);
  const lookup = createResolver({ servers: config.dnsServers });
  await createMissingSecrets(databases.deliveries, { vault, randomBytes });
  const delivery = startDeliveryEngine({
    database: databases.deliveries,
    queueDatabase: databases.queue,
    location: config.database,
    channels,
    processId,
    vault,
    allows,
    lookup,
    proxies: config.outboundProxies,
    maxBytes: config.deliveryMaxBytes,
    retentionDays: config.deliveryRetentionDays,
    maxEvents: config.deliveryMaxEvents,
    maxStoredBytes: config.storedBytesPerWorkspace,
    logger,
    ...(troubles && { troubles }),
    telemetry,
    now,
    randomBytes,
    before: config.demo ? withSandboxReceiver : undefined,
    tuning,
  });
  const cursorKeys = sealing.keyring('rest-cursors');
  const cursors = cursorCodec(cursorKeys.current, 'base64', cursorKeys.previous);
  const budget = createReadBudget(readLimits, scansAtOnce[config.database.kind]);
  const shared = { kind: config.database.kind, cursors, budget, now, randomBytes, logger };
  return {
    delivery,
    ports: {
      serviceJudges: false,
      accounts: embeddedAccounts({ database: databases.accounts, budget, cursors, tokens }),
      jobs: embeddedJobs({ ...shared, database: databases.jobs, network: providers.PNET, tuning: leases }),
      posts: embeddedPosts({ database: databases.accounts, providers, cursors }),
      deliveries: embeddedDeliveries({ ...delivery, ...shared, database: databases.deliveries, limits }),
      webhooks: embeddedWebhooks({
        ...delivery,
        ...shared,
        database: databases.deliveries,
        vault,
        isRefused: (url) => isRefusedTarget(url, allows, lookup.local),
        maxWebhooks: config.webhooksPerWorkspace,
      }),
    },
    authenticate: config.demo ? refusingSandboxKeys(authenticate) : authenticate,
    tenantOf: ({ workspaceId }) => workspaceId,
    idempotency,
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
    kind: config.database.kind,
    file: config.demoKeyFile,
    now: now(),
    vault,
    randomBytes,
  });
  if (file !== null) logger.info(`The database was empty: created a demo workspace; its API key is in ${file}`);
}
