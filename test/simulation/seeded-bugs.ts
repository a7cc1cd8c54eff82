/** Faults of the engine that the simulation finds. They are put into the text of a module when it is loaded. */
import { registerHooks } from 'node:module';

/** A place in a module of src, and what stands there instead. */
interface Replacement {
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

const at = (file: string, text: string, by: string): Replacement => ({ file: `/src/${file}`, text, by });

const [retryPolicy, settle, requeue] = [
  'delivery/retry-policy.ts',
  'delivery/settle.ts',
  'capabilities/deliveries/requeue.ts',
];
const [deadClaims, health] = ['delivery/dead-claims.ts', 'delivery/destination-health.ts'];

/** By what is wrong. */
export const seededBugs: Readonly<Record<string, readonly Replacement[]>> = {
  'an outcome is stored whoever has the lease': [
    at(
      settle,
      'where deliveries.id = result.delivery_id and deliveries.claim_token = result.claim_token\n      returning',
      'where deliveries.id = result.delivery_id\n      returning',
    ),
  ],
  'a delivery that was held while it was sent is retried': [
    at(
      settle,
      "case when deliveries.state = 'held' and result.state = 'pending' then 'held' else result.state end",
      'result.state',
    ),
  ],
  'a claim that is given back waits for its lease': [
    at(settle, 'set claim_token = null, next_at = 0\n', 'set claim_token = null\n'),
  ],
  'a success does not end a time of failures': [
    at(health, 'return { changes: recovered, disabled: null }', 'return { changes: stored, disabled: null }'),
  ],
  'a 410 does not disable': [at(health, "isGone ? 'gone' : believed", 'believed')],
  'the retry schedule is off by one': [at(retryPolicy, 'retryDelays[attempt - 1]', 'retryDelays[attempt]')],
  'the jitter is too wide': [at(retryPolicy, 'const jitter = 0.2;', 'const jitter = 0.25;')],
  'Retry-After has no limit': [at(retryPolicy, 'Math.min(asked ?? 0, maxRetryAfter)', 'asked ?? 0')],
  'Retry-After is ignored': [at(retryPolicy, 'Math.min(asked ?? 0, maxRetryAfter)', '0')],
  'a destination is disabled too late': [at(retryPolicy, 'failingLimit = 5 * day', 'failingLimit = 6 * day')],
  'a destination is disabled too early': [at(retryPolicy, 'failingLimit = 5 * day', 'failingLimit = 4 * day')],
  'a redelivery gets the rest of the schedule': [at(requeue, ": ref('attempts'),", ": ref('attempts_before'),")],
  'redelivering all leaves out the newest': [
    at(requeue, 'const ids = positions.map(', 'const ids = positions.slice(1).map('),
  ],
  'a claim ignores that a destination is paused': [
    at(
      'delivery/queue-transaction.ts',
      "enabled === 1 && !isAhead('webhook_destinations.paused_until', paused_until, now)",
      'enabled === 1',
    ),
  ],
  'a claim takes what others have claimed': [
    at('delivery/due.ts', 'sql`d.next_at <= ', 'sql`iif(d.claim_token is null, d.next_at, 0) <= '),
  ],
  'a lease is shorter than a request': [
    at('delivery/queue.ts', 'leaseMs,\n        latestFirst', 'leaseMs: 5_000,\n        latestFirst'),
  ],
  'what dead processes have claimed is not freed': [at(deadClaims, 'if (dead.length === 0) return 0;', 'return 0;')],
  'dead processes are looked for too seldom': [
    at(deadClaims, 'const deadLookMs = 1_000;', 'const deadLookMs = 4_000;'),
  ],
  'dead processes are looked for no more after a failure': [
    at(deadClaims, 'retryMs: deadLookMs }', 'retryMs: 3_600_000 }'),
  ],
  'what was held while a dead process sent it stays claimed': [
    at(
      deadClaims,
      '      .where(\n        claimant,',
      "      .where('state', '=', 'pending').where(\n        claimant,",
    ),
  ],
  'what dead processes have claimed is freed, and not due': [
    at(deadClaims, 'claim_token: null, next_at: 0', 'claim_token: null'),
  ],
  'outcomes that could not be stored are forgotten': [
    at('delivery/outcome-buffer.ts', 'waiting = [...outcomes, ...waiting];\n        return [];', 'return [];'),
  ],
  'a delivery that is claimed anew is sent anew': [
    at('delivery/claim-leases.ts', 'return lease === undefined;', 'return true;'),
  ],
  'an outcome is stored under the claim that it was sent under': [
    at(
      'delivery/claim-leases.ts',
      'this.#leases.get(ending.deliveryId)?.claimToken ?? ending.claimToken',
      'ending.claimToken',
    ),
  ],
  'a lease begins when its claim is answered': [
    at(
      'delivery/worker.ts',
      'this.#accept(result, usableUntil);',
      'this.#accept(result, clock() + leaseMs - deadlineMs);',
    ),
  ],
  'a request may outlast its lease': [
    at('delivery/claim-leases.ts', '<= lease.usableUntil', '<= lease.usableUntil + 15_000'),
  ],
  'a 410 is forgotten for what arrives with it': [
    at(health, 'decisions.some(({ gone }) => gone)', 'decisions.at(-1)?.gone === true'),
  ],
  'a destination is blamed for attempts that were not made': [
    at(settle, 'status !== null || failure !== null', 'status !== undefined || failure !== null'),
  ],
  'an attempt that cannot be sent begins when it ends': [
    at('delivery/worker.ts', 'begun.end(unsentDecision', 'beginAttempt(this.#options, delivery).end(unsentDecision'),
  ],
  'an attempt takes no time': [at('delivery/send.ts', 'duration_ms: Math.round(clock() - started)', 'duration_ms: 0')],
  'a process that stops keeps its claims': [
    at('delivery/worker.ts', 'this.#release(this.#lanes.drain());\n    await', 'this.#lanes.drain();\n    await'),
  ],
  'an event misses the webhooks of its account': [
    at('delivery/receivers.ts', "accountId === null ? [''] : ['', accountId]", "['']"),
  ],
  'an event is delivered to webhooks that are disabled': [
    at('delivery/emit.ts', "state: enabled ? 'pending' : 'held'", "state: 'pending'"),
  ],
  'deleting a webhook leaves its deliveries': [
    at('capabilities/webhooks/removal.ts', 'await deleteSome(transaction, webhook.id, null);', ''),
    at('capabilities/webhooks/removal.ts', 'return deleteSome(transaction, webhookId, from);', 'return null;'),
  ],
  'disabling a webhook leaves its deliveries pending': [
    at('capabilities/webhooks/destinations.ts', 'await holdPending(transaction, webhookId, []);', ''),
  ],
  'retention deletes what is pending': [
    at('delivery/retention-step.ts', '({ pending }) => pending === null', '() => true'),
    at('delivery/retention-step.ts', ".where('state', '!=', 'pending')", ".where('state', '!=', 'nothing')"),
  ],
  'retention deletes too early': [
    at(
      'delivery/retention.ts',
      'const old = now().getTime() - retentionDays * day;',
      'const old = now().getTime() - retentionDays * day * 0.9;',
    ),
  ],
};

/**
 * Puts a bug into the modules that are loaded from now on.
 * @throws Error when the bug is unknown, or its place is not found, when the module is loaded
 */
export function seedBug(name: string): void {
  const replacements = seededBugs[name];
  if (replacements === undefined) throw new Error(`There is no bug of the name "${name}"`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const here = replacements.filter(({ file }) => url.endsWith(file));
      if (here.length === 0 || loaded.source == null) return loaded;
      const source = here.reduce(replaced, textOf(loaded.source));
      return { ...loaded, source };
    },
  });
}

/** The text of a module with a replacement in the one place that it is for. */
export function replaced(source: string, { file, text, by }: Replacement): string {
  const parts = source.split(text);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${text}`);
  return parts.join(by);
}

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source);
