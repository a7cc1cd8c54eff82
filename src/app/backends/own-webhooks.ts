/** Accounts, webhooks and deliveries in the gateway's own database: all of embedded mode but its networks. */
import type { AccountRule } from '../../auth/account-rule.ts';
import { embeddedAccounts } from '../../capabilities/accounts/embedded.ts';
import { embeddedDeliveries } from '../../capabilities/deliveries/embedded.ts';
import type { DeliveryRateLimits } from '../../capabilities/deliveries/limits.ts';
import { embeddedWebhooks } from '../../capabilities/webhooks/embedded.ts';
import { startDeliveryEngine } from '../../delivery/engine.ts';
import { cursorCodec } from '../../kernel/paging.ts';
import { type Vault, vaultOf } from '../../kernel/secrets/vault.ts';
import { addressRule, isRefusedTarget } from '../../net/addresses.ts';
import { createResolver } from '../../net/dns/resolver.ts';
import { createReadBudget, readLimits, scansAtOnce } from '../../store/read-budget.ts';
import { linesOf } from '../../store/workspace-lines.ts';
import { noTelemetry } from '../../telemetry/telemetry.ts';
import type { Config } from '../config/config.ts';
import { withSandboxReceiver } from '../sandbox.ts';
import type { Dependencies } from './backend.ts';
import type { Sealing, Storage } from './storage.ts';

/** @param prepare is called before anything is sent */
export async function openWebhooks(
  { databases, channels, processId, tokens, useSecret }: Storage,
  sealing: Sealing,
  config: Config,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits },
  accountRule: AccountRule,
  prepare: (vault: Vault) => Promise<void> = async () => undefined,
) {
  const { logger, now, randomBytes, limits, telemetry = noTelemetry, troubles, delivery: tuning = {} } = dependencies;
  const vault = vaultOf(sealing.keyring, randomBytes);
  await useSecret(sealing, vault);
  await prepare(vault);
  const allows = addressRule(config.outboundAllow);
  const lookup = createResolver({ servers: config.dnsServers });
  const inLine = linesOf(config.database, 'deliveries');
  const delivery = startDeliveryEngine({
    database: databases.deliveries,
    queueDatabase: databases.queue,
    location: config.database,
    channels,
    processId,
    inLine,
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
    before: config.demo && config.upstream === null ? withSandboxReceiver : undefined,
    tuning,
  });
  const cursorKeys = sealing.keyring('rest-cursors');
  const cursors = cursorCodec(cursorKeys.current, 'base64', cursorKeys.previous);
  const budget = createReadBudget(readLimits, scansAtOnce[config.database.kind]);
  const shared = { cursors, budget, now, randomBytes, logger };
  return {
    delivery,
    vault,
    shared,
    ports: {
      accounts: embeddedAccounts({ database: databases.accounts, budget, cursors, tokens, accountRule }),
      deliveries: embeddedDeliveries({
        ...delivery,
        ...shared,
        database: databases.deliveries,
        inLine,
        limits,
        accountRule,
      }),
      webhooks: embeddedWebhooks({
        ...delivery,
        ...shared,
        database: databases.deliveries,
        inLine,
        vault,
        isRefused: (url) => isRefusedTarget(url, allows, lookup.local),
        accountRule,
        maxWebhooks: config.webhooksPerWorkspace,
      }),
    },
  };
}
