import { setTimeout as sleep } from 'node:timers/promises';
import { findOldestAccount } from '../../auth/account-repository.ts';
import { type AccountRule, connectedHere } from '../../auth/account-rule.ts';
import { requireVisibleAccount } from '../../auth/session.ts';
import type { Emit } from '../../delivery/emit.ts';
import { emittableKeys, ownKeys, triggerEvent } from '../../events/event.ts';
import { sampleData } from '../../events/samples.ts';
import { sourceOfEvents, type WebhookEvent, type WebhookSource, webhookSources } from '../../events/sources.ts';
import { requireManaging } from '../../kernel/caller.ts';
import { firstMillisecondFrom } from '../../kernel/date-time.ts';
import { type Issue, retrySoon, ServiceError } from '../../kernel/errors.ts';
import { checkId } from '../../kernel/ids.ts';
import type { IssueCode } from '../../kernel/issue-codes.ts';
import { invalidParameters } from '../../kernel/issues.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { Database } from '../../store/database.ts';
import { readJsonColumn } from '../../store/json.ts';
import type { Notifications } from '../../store/notifications.ts';
import type { SharedClock } from '../../store/shared-clock.ts';
import { holdStep } from '../webhooks/holds.ts';
import { accountIdsOf, type ManageableWebhook, requireManageableWebhook } from '../webhooks/manageable.ts';
import { listensTo } from '../webhooks/match.ts';
import type { WebhookTrigger } from '../webhooks/shapes.ts';
import type { DeliveriesPort } from './port.ts';
import { unknownDelivery } from './queries.ts';
import { requeue, requeueAll } from './requeue.ts';
import type { EventEmitted } from './shapes.ts';

export interface CommandsContext {
  readonly database: Database;
  readonly emit: Emit;
  /** Default: accounts that are connected here. */
  readonly accountRule?: AccountRule;
  readonly notifications: Pick<Notifications, 'transaction'>;
  readonly now: () => Date;
  /** Time of the queue. */
  readonly time: SharedClock;
}

/** Looks at deliveries that others have locked: two seconds, as for other locks. */
const lockedLooks = 20;
const lockedLookMs = 100;

const invalid = (path: Issue['path'], code: IssueCode, message: string): ServiceError =>
  invalidParameters([{ path, code, message }]);

/** Where a webhook cannot be fired from. */
function misfitOf({ context }: WebhookTrigger, message_id: string | undefined): ServiceError | undefined {
  if ((context === 'MESSAGE') === (message_id !== undefined)) return undefined;
  return context === 'MESSAGE'
    ? invalid(['message_id'], 'required', 'is required: the context of the webhook is MESSAGE')
    : invalid(['message_id'], 'conflicting', `is not accepted: the context of the webhook is ${context}`);
}

export function deliveryCommands({
  database,
  emit,
  notifications,
  now,
  time,
  accountRule = connectedHere,
}: CommandsContext): Pick<DeliveriesPort, 'emit' | 'fireTrigger' | 'sendTest' | 'redeliver' | 'redeliverAll'> {
  /** The webhook's former disabling must not hold what is redelivered. */
  const finishHolds = async ({ id }: ManageableWebhook) => {
    let locked = 0;
    for (;;) {
      const more = await holdStep(notifications.transaction, id);
      if (more === false) return;
      if (more !== 'locked') continue;
      locked += 1;
      if (locked === lockedLooks) throw deliveriesLocked();
      await sleep(lockedLookMs);
    }
  };
  const emitFor = async (
    { caller: { workspaceId }, onEmitted }: Pick<RequestContext, 'caller' | 'onEmitted'>,
    event: Omit<Parameters<Emit>[0], 'workspaceId'>,
  ): Promise<EventEmitted> => {
    const { eventId, deliveries, repeated } = await emit({ workspaceId, ...event });
    onEmitted?.(eventId);
    return { object: 'EventEmitted', event_id: eventId, delivery_ids: deliveries, repeated };
  };
  return {
    async emit({ caller, onEmitted }, { account_id, event, data, idempotency_key }) {
      // Each event that passes the shape has a source.
      const source = sourceOfEvents([event]) as WebhookSource;
      const sample = sampleData(source, event, now());
      if (data !== undefined) requireKeys(source, data);
      const account = await requireVisibleAccount(database, caller, account_id, 'resource_not_found', accountRule);
      return emitFor(
        { caller, onEmitted },
        {
          accountId: account_id,
          accountType: account.type,
          source,
          event,
          data: data === undefined ? sample : { ...timeOf(sample), ...data },
          given: data ?? null,
          idempotencyKey: idempotency_key,
        },
      );
    },

    async fireTrigger({ caller, onEmitted }, { webhook_id, account_id, chat_id, message_id, idempotency_key }) {
      const webhook = await requireManageableWebhook(database, caller, webhook_id);
      if (webhook.trigger === null) throw invalid(['webhook_id'], 'not_allowed', 'must be that of a TRIGGER webhook');
      const trigger = readJsonColumn<WebhookTrigger>(webhook.trigger);
      const account = await requireVisibleAccount(database, caller, account_id, 'resource_not_found', accountRule);
      // A repetition gets the first answer, whatever has become of the webhook since.
      const refusal =
        refusalOf(webhook, 'webhook_id') ??
        misfitOf(trigger, message_id) ??
        (listensTo(accountIdsOf(webhook), account_id)
          ? undefined
          : invalid(['account_id'], 'not_allowed', 'must be one of the accounts of the webhook'));
      const given = { chat_id, ...(message_id === undefined ? {} : { message_id }) };
      const { context, name: trigger_name } = trigger;
      return emitFor(
        { caller, onEmitted },
        {
          accountId: account_id,
          accountType: account.type,
          source: null,
          event: triggerEvent,
          data: { timestamp: now().toISOString(), context, trigger_name, ...given },
          given,
          webhookId: webhook_id,
          idempotencyKey: idempotency_key,
          refusal,
        },
      );
    },

    async sendTest({ caller, onEmitted }, { webhook_id, event }) {
      const webhook = await requireManageableWebhook(database, caller, webhook_id);
      requireEnabled(webhook, 'webhook_id');
      const { source } = webhook;
      if (source === null)
        throw invalid(['webhook_id'], 'not_allowed', 'must be that of an AUTO webhook: fire a TRIGGER webhook instead');
      const { events }: { events: readonly WebhookEvent[] } = webhookSources[source];
      const chosen = event ?? readJsonColumn<WebhookEvent[]>(webhook.events)[0] ?? events[0];
      if (chosen === undefined || !events.includes(chosen))
        throw invalid(['event'], 'not_allowed', 'is not an event of the source of the webhook');
      const listened = accountIdsOf(webhook);
      const account = await findOldestAccount(database, {
        workspaceId: caller.workspaceId,
        accountIds: listened.length === 0 ? null : new Set(listened),
      });
      return emitFor(
        { caller, onEmitted },
        {
          accountId: account?.id ?? null,
          accountType: account?.type ?? null,
          source,
          event: chosen,
          data: sampleData(source, chosen, now()),
          webhookId: webhook_id,
        },
      );
    },

    async redeliver({ caller }, { delivery_id }) {
      checkId(delivery_id, 'delivery');
      const delivery = await database
        .selectFrom('deliveries')
        .select(['webhook_id', 'account_id'])
        .where('workspace_id', '=', caller.workspaceId)
        .where('id', '=', delivery_id)
        .executeTakeFirst();
      if (delivery === undefined) throw unknownDelivery();
      const webhook = await requireManageableWebhook(database, caller, delivery.webhook_id);
      // The webhook may have listened to other accounts when the delivery was created.
      requireManaging(caller, delivery.account_id === null ? [] : [delivery.account_id]);
      requireEnabled(webhook, 'delivery_id');
      if (!listensTo(accountIdsOf(webhook), delivery.account_id)) {
        throw invalid(['delivery_id'], 'not_allowed', 'must be for an account that the webhook still listens to');
      }
      await finishHolds(webhook);
      if (!(await requeue(notifications.transaction, delivery_id, await time()))) {
        throw new ServiceError('action_already_performed', { detail: 'The delivery is being sent, or due now.' });
      }
      return { object: 'DeliveryScheduled', delivery_id };
    },

    async redeliverAll({ caller }, { webhook_id, since, until, state }) {
      const webhook = await requireManageableWebhook(database, caller, webhook_id);
      requireEnabled(webhook, 'webhook_id');
      const filter = {
        webhookId: webhook_id,
        state,
        since: since === undefined ? null : firstMillisecondFrom(since),
        until: until === undefined ? null : firstMillisecondFrom(until),
        // All of the key's, as it manages the webhook.
        accountIds: accountIdsOf(webhook),
      };
      await finishHolds(webhook);
      const count = await requeueAll(notifications.transaction, filter, await time());
      return { object: 'DeliveriesRedelivered', count };
    },
  };
}

/** A sample's time fields, which an emitter may leave out. */
const timeOf = (sample: Record<string, unknown>) =>
  Object.fromEntries(['timestamp', 'date'].flatMap((key) => (key in sample ? [[key, sample[key]]] : [])));

/** Keys of the source, except those that the gateway sets. */
function requireKeys(source: WebhookSource, data: Readonly<Record<string, unknown>>): void {
  const keys = emittableKeys(source);
  for (const key of Object.keys(data)) {
    if (ownKeys.includes(key)) throw invalid(['data'], 'not_allowed', `must not have ${key}: the gateway sets it`);
    if (!keys.includes(key))
      throw invalid(['data'], 'unknown_field', `must not have ${key}, which is no key of the source ${source}`);
  }
}

const deliveriesLocked = (): ServiceError =>
  new ServiceError('service_unavailable', {
    detail:
      'Deliveries of the webhook are still to be held, and others have locked them. Nothing was redelivered: try again.',
    headers: retrySoon,
  });

/** @param field that says which webhook */
function requireEnabled(webhook: ManageableWebhook, field: 'webhook_id' | 'delivery_id'): void {
  const refusal = refusalOf(webhook, field);
  if (refusal !== undefined) throw refusal;
}

/** Refuses a disabled webhook. */
function refusalOf(webhook: ManageableWebhook, field: 'webhook_id' | 'delivery_id'): ServiceError | undefined {
  if (webhook.enabled === 1) return undefined;
  return new ServiceError('invalid_parameters', {
    detail: 'The webhook is disabled: enable it first.',
    issues: [{ path: [field], code: 'not_allowed', message: 'must be that of an enabled webhook' }],
  });
}
