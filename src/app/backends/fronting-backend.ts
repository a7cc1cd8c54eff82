/** Jobs and posts of a service; accounts, webhooks and deliveries of the gateway, from events of the service. */
import { connectedThere } from '../../auth/account-rule.ts';
import type { AdmissionLimits } from '../../auth/admission.ts';
import { ensureWorkspace } from '../../auth/workspaces.ts';
import type { DeliveryRateLimits } from '../../capabilities/deliveries/limits.ts';
import type { Authenticate, Caller } from '../../kernel/caller.ts';
import { closeAll } from '../../kernel/lib/close-all.ts';
import { noTelemetry } from '../../telemetry/telemetry.ts';
import type { UpstreamSettings } from '../../upstream/settings.ts';
import type { Config } from '../config/config.ts';
import type { IntakeSettings } from '../intake/intake.ts';
import { openIntake, secretOf } from '../intake/open.ts';
import type { Backend, Dependencies } from './backend.ts';
import { openWebhooks } from './own-webhooks.ts';
import type { Sealing, Storage } from './storage.ts';
import { openService, translatorOfEvents } from './upstream-backend.ts';

/** All callers share it, as they share the key of the service: keys that are limited to accounts tell them apart. */
export const serviceWorkspace = 'service';

export async function frontingBackend(
  upstream: UpstreamSettings,
  settings: IntakeSettings,
  storage: Storage,
  sealing: Sealing,
  config: Config,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits & Pick<AdmissionLimits, 'wrongKeys'> },
): Promise<Backend> {
  const { now, randomBytes, logger, limits, troubles, telemetry = noTelemetry } = dependencies;
  const { databases, authenticate, idempotency } = storage;
  const keys = sealing.keyring('intake');
  const { service, ports } = openService({ ...upstream, secrets: [secretOf(keys.current)] }, dependencies);
  const rule = connectedThere(databases.accounts, now);
  const own = await openWebhooks(storage, sealing, config, dependencies, rule);
  const workspaceId = await ensureWorkspace(databases.accounts, serviceWorkspace, { now: now(), randomBytes });
  const intake = openIntake({
    service,
    settings,
    keys,
    database: databases.accounts,
    workspaceId,
    delivery: own.delivery,
    limits,
    translate: translatorOfEvents(upstream.names),
    logger,
    troubles,
    telemetry,
    now,
  });
  let isServiceAway = false;
  return {
    delivery: own.delivery,
    intake,
    ports: {
      ...ports,
      ...own.ports,
      serviceJudges: (scope) => scope.startsWith('jobs:') || scope.startsWith('posts:'),
    },
    authenticate: inWorkspace(authenticate, workspaceId),
    tenantOf: () => 'upstream',
    idempotency,
    isServiceAway: () => isServiceAway,
    // Without the service, events are still received and delivered: a load balancer must not take the gateway out.
    async ready() {
      await storage.ready();
      isServiceAway = await service.ready().then(
        () => false,
        () => true,
      );
    },
    close: () => closeAll([service.close, own.delivery.close, intake.close]),
  };
}

/** A caller is the same object as long as it is remembered: what is known of it is kept. */
function inWorkspace(authenticate: Authenticate, workspaceId: string): Authenticate {
  const known = new WeakMap<Caller, Caller>();
  const moved = (caller: Caller): Caller => {
    const same = known.get(caller) ?? { ...caller, workspaceId, workspaceName: serviceWorkspace };
    known.set(caller, same);
    return same;
  };
  return (apiKey) => {
    const caller = authenticate(apiKey);
    return caller instanceof Promise ? caller.then(moved) : moved(caller);
  };
}
