/** The callers of the gateway: they use its real commands, on any process, and repeat what was not acknowledged. */

import { scopeNames } from '../../src/kernel/caller.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { nothingSpent, type RequestContext } from '../../src/kernel/request-context.ts';
import type { Redelivery } from './invariants/history.ts';
import { hostOf, type Population, workspaceId } from './population.ts';
import type { SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

export interface Callers {
  emit(): void;
  create(): void;
  sendTest(webhookId: string): void;
  setEnabled(webhookId: string, enabled: boolean): void;
  listenTo(webhookId: string, accountIds: string[]): void;
  remove(webhookId: string): void;
  redeliver(): void;
  redeliverAll(webhookId: string, state: 'held' | 'failed' | 'succeeded'): void;
}

/** How long callers wait for a response. */
const patienceMs = 30_000;

const context: RequestContext = {
  caller: {
    keyId: 'key',
    keyName: 'key',
    workspaceId,
    workspaceName: 'workspace',
    scopes: new Set(scopeNames),
    accountIds: null,
    expiresAt: null,
  },
  requestId: 'request',
  spent: nothingSpent(),
  signal: new AbortController().signal,
};

export function createCallers(world: World, population: Population): Callers {
  const { scheduler, random, invariants } = world;
  let keys = 0;
  /** Those that began, and those that ended. */
  let redeliveries = 0;

  /** Runs a command on a process. @param done is told whether it succeeded; null if there is no response */
  const call = <Result>(
    name: string,
    command: (process: SimulatedProcess) => Promise<Result>,
    done: (result: Result | null) => void = () => {},
  ) => {
    const running = world.processes.filter(({ state }) => state === 'running');
    if (running.length === 0) return done(null);
    const process = random.pick(running);
    world.trace.line(`${scheduler.now} ${process.id} is asked to ${name}`);
    world.lastHappening = scheduler.now;
    let isOver = false;
    const end = (result: Result | null) => {
      if (isOver) return;
      isOver = true;
      cancel();
      world.lastHappening = scheduler.now;
      done(result);
    };
    const cancel = scheduler.in(patienceMs, () => end(null));
    command(process).then(end, (error: unknown) => {
      // Whatever a caller may be told is an error of the service. Others are mistakes.
      if (!(error instanceof ServiceError)) invariants.report(error);
      else if (error.errorName === 'service_unavailable') invariants.logged(error);
      end(null);
    });
  };

  const emit = (account_id: string, idempotency_key: string, tries: number) =>
    call(
      `emit ${idempotency_key}`,
      (process) =>
        process.deliveries.emit(context, {
          account_id,
          event: 'new_relation',
          idempotency_key,
        }),
      (emitted) => {
        if (emitted !== null) invariants.acknowledged(emitted.event_id);
        else if (tries > 1) scheduler.in(1 + random.int(5_000), () => emit(account_id, idempotency_key, tries - 1));
      },
    );

  const redelivering = (
    name: string,
    covers: Redelivery['covers'],
    command: (process: SimulatedProcess) => Promise<unknown>,
  ) => {
    redeliveries += 1;
    call(name, async (process) => {
      // It may go on when nobody waits for it any more.
      const end = invariants.redelivers({ process, covers });
      let isAcknowledged = false;
      try {
        await command(process);
        isAcknowledged = true;
      } finally {
        redeliveries += 1;
        end(isAcknowledged);
      }
    });
  };

  return {
    emit() {
      keys += 1;
      emit(random.pick(population.accounts), `key ${keys}`, 3);
    },
    create() {
      const host = hostOf(population.webhooks.length);
      call(
        'create a webhook',
        ({ webhooks }) =>
          webhooks.create(context, { source: 'users', request_url: `https://${host}/`, account_ids: [] }),
        (created) => {
          if (created !== null) population.webhooks.push(created.webhook_id);
        },
      );
    },
    sendTest: (webhook_id) =>
      call(
        'send a test',
        ({ deliveries }) => deliveries.sendTest(context, { webhook_id }),
        (sent) => {
          if (sent !== null) invariants.acknowledged(sent.event_id);
        },
      ),
    setEnabled(webhook_id, enabled) {
      const before = redeliveries;
      call(
        enabled ? 'enable' : 'disable',
        ({ webhooks }) => webhooks.update(context, { webhook_id, enabled }),
        (updated) => {
          // A redelivery that was under way may have found the webhook enabled.
          if (updated !== null && !enabled && redeliveries === before) invariants.disabled(webhook_id);
        },
      );
    },
    listenTo: (webhook_id, account_ids) =>
      call('listen to others', ({ webhooks }) => webhooks.update(context, { webhook_id, account_ids })),
    remove: (id) =>
      call(
        'delete a webhook',
        ({ webhooks }) => webhooks.delete(context, { id }),
        (removed) => {
          if (removed !== null) invariants.removed(id);
        },
      ),
    redeliver() {
      const rows = world.database.all<{ id: string }>("select id from deliveries where state != 'pending' order by id");
      if (rows.length === 0) return;
      const { id } = random.pick(rows);
      redelivering(
        'redeliver',
        (delivery) => delivery.id === id && delivery.state !== 'pending',
        ({ deliveries }) => deliveries.redeliver(context, { delivery_id: id }),
      );
    },
    redeliverAll: (webhook_id, state) =>
      redelivering(
        `redeliver all that are ${state}`,
        (delivery) => delivery.webhook_id === webhook_id && delivery.state === state,
        ({ deliveries }) => deliveries.redeliverAll(context, { webhook_id, state }),
      ),
  };
}
