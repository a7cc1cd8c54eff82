/** Puts the parts of the intake together, for a gateway and for its command. */
import { hash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { AdmissionLimits } from '../../auth/admission.ts';
import type { DeliveryRateLimits } from '../../capabilities/deliveries/limits.ts';
import type { DeliveryEngine } from '../../delivery/engine.ts';
import { repeat } from '../../delivery/repeat.ts';
import type { Caller } from '../../kernel/caller.ts';
import { afterTimeout } from '../../kernel/lib/after.ts';
import { minute, second } from '../../kernel/lib/time-units.ts';
import { nothingSpent, type RequestContext } from '../../kernel/request-context.ts';
import type { Keys } from '../../kernel/secrets/secret.ts';
import { createTroubles, type Troubles } from '../../kernel/troubles.ts';
import type { Database } from '../../store/database.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { Upstream } from '../../upstream/client.ts';
import { createInbox } from './inbox.ts';
import type { Intake, IntakeSettings, Registration } from './intake.ts';
import { createRegistrations } from './registrations.ts';
import { intakeRoutes } from './routes.ts';

/** From one look at the service to the next. */
const lookMs = 10 * minute;
const retryMs = 30 * second;

/** A process that dies meanwhile keeps the others out for no longer. Longer than a call of the service. */
const aloneMs = minute;

/** Names of webhooks at the service begin so; the rest is the deployment's. */
const namePrefix = 'postern-intake';

interface RegistrarContext {
  readonly service: Upstream;
  readonly settings: IntakeSettings;
  readonly keys: Keys;
  readonly database: Database;
  readonly workspaceId: string;
  readonly now: () => Date;
  readonly learn: Parameters<typeof createRegistrations>[0]['learn'];
  /** Ends the work after the call that is under way. */
  readonly stopped?: AbortSignal;
}

export const secretOf = (key: Uint8Array): string => Buffer.from(key).toString('base64url');

const prefixOf = (key: Uint8Array): string => `${namePrefix}-${hash('sha256', secretOf(key)).slice(0, 12)}`;

export function createRegistrar({
  keys,
  database,
  workspaceId,
  now,
  stopped = new AbortController().signal,
  ...context
}: RegistrarContext) {
  return createRegistrations({
    ...context,
    prefixes: [prefixOf(keys.current), ...keys.previous.map(prefixOf)],
    secret: secretOf(keys.current),
    context: (): RequestContext => ({
      caller: gatewayItself(workspaceId),
      requestId: randomUUID(),
      spent: nothingSpent(),
      signal: AbortSignal.any([stopped]),
    }),
    alone: (work) => runAlone(database, now, stopped, work),
  });
}

const gatewayItself = (workspaceId: string): Caller => ({
  keyId: namePrefix,
  keyName: null,
  workspaceId,
  workspaceName: null,
  scopes: new Set(['webhooks:read', 'webhooks:write']),
  accountIds: null,
  expiresAt: null,
});

const rowName = 'intake';

/** A deadline in a row of the deployment, put off while the work goes on. One that a wrong clock has set far ahead does not count. */
async function runAlone<Result>(
  database: Database,
  now: () => Date,
  stopped: AbortSignal,
  work: (stay: () => Promise<void>) => Promise<Result>,
): Promise<Result | null> {
  const at = now().getTime();
  let mine = `${at + aloneMs}`;
  await database
    .insertInto('deployment')
    .values({ name: rowName, value: '0' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { numUpdatedRows } = await database
    .updateTable('deployment')
    .set({ value: mine })
    .where('name', '=', rowName)
    .where(({ or, eb }) => or([eb('value', '<=', `${at}`), eb('value', '>', `${at + 2 * aloneMs}`)]))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  try {
    return await work(async () => {
      stopped.throwIfAborted();
      const next = `${now().getTime() + aloneMs}`;
      const { numUpdatedRows: kept } = await database
        .updateTable('deployment')
        .set({ value: next })
        .where('name', '=', rowName)
        .where('value', '=', mine)
        .executeTakeFirst();
      if (kept === 0n) throw new Error('Another process has taken over the webhooks at the service');
      mine = next;
    });
  } finally {
    await database
      .updateTable('deployment')
      .set({ value: '0' })
      .where('name', '=', rowName)
      .where('value', '=', mine)
      .execute();
  }
}

interface IntakeContext extends Omit<RegistrarContext, 'learn'> {
  readonly delivery: DeliveryEngine;
  readonly limits: DeliveryRateLimits & Pick<AdmissionLimits, 'wrongKeys'>;
  readonly translate: Parameters<typeof intakeRoutes>[0]['translate'];
  readonly logger: Logger;
  readonly troubles?: Troubles | undefined;
  readonly telemetry: Pick<Telemetry, 'metrics'>;
}

export function openIntake(context: IntakeContext): Intake {
  const { keys, logger, telemetry, limits, translate, troubles = createTroubles(logger) } = context;
  const inbox = createInbox(context);
  const stopping = new AbortController();
  const registrar = createRegistrar({ ...context, learn: inbox.learn, stopped: stopping.signal });
  const secrets = [keys.current, ...keys.previous].map(secretOf);
  let registrations: readonly Registration[] = [];
  let told = '';

  function tell(found: readonly Registration[]): void {
    registrations = found;
    const lacking = found.filter(({ state }) => state !== 'active');
    const state = JSON.stringify(lacking);
    if (state === told) return;
    told = state;
    if (lacking.length === 0) logger.info({ webhooks: found.length }, 'the service sends its events');
    else {
      const why = lacking.map(({ event, detail }) => ({ event, detail: detail ?? 'missing' }));
      logger.error({ why }, 'the service does not send all of its events');
    }
  }

  telemetry.metrics?.observe('postern.intake.webhooks', () =>
    (['active', 'missing', 'refused'] as const).map((state) => [
      registrations.filter((each) => each.state === state).length,
      { state },
    ]),
  );
  const looking = repeat(
    { troubles, after: afterTimeout, failed: 'the webhooks at the service could not be checked', retryMs },
    async () => {
      const found = await registrar.sync().catch((error: unknown) => {
        if (stopping.signal.aborted) return registrations;
        throw error;
      });
      tell(found);
      return found.some(({ state }) => state === 'missing') ? retryMs : lookMs;
    },
  );
  return {
    routes: intakeRoutes({ inbox, secrets, limits, translate }),
    registrations: () => registrations,
    close() {
      stopping.abort();
      return looking.close();
    },
  };
}
