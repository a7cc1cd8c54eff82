/** Contract, "Webhook" and endpoint 4. */
import { z } from 'zod';
import { accountTypes } from '../../auth/account.ts';
import {
  type SourceRow,
  type WebhookSource,
  webhookDataKeys,
  webhookEvents,
  webhookSourceNames,
  webhookSources,
} from '../../events/sources.ts';
import { isObject } from '../../kernel/lib/objects.ts';
import {
  boundedList,
  httpUrl,
  label,
  maxEntries,
  maxPage,
  ownRule,
  pageCursor,
  pageLimit,
  resourceId,
  shortText,
} from '../../kernel/validation.ts';
import { extraHeader } from './headers.ts';

export const webhookLimits = { limit: { min: 1, max: maxPage, default: 100 } } as const;
/** Per workspace. */
export const maxNoticeReceivers = 10;

export const webhookFormats = ['json', 'form'] as const;
export const webhookTypes = ['AUTO', 'TRIGGER'] as const;
export const triggerContexts = ['MESSAGE', 'CHAT'] as const;
/** Spelt as in the contract, as clients look up components by these names. */
export const triggerIcons = [
  'WebhookIcon',
  'SettingsInputIcon',
  'LeakAddIcon',
  'Diversity2Icon',
  'AutoFixHighIcon',
  'SignPostIcon',
  'ShutterSpeedIcon',
  'SyncAltIcon',
  'ChatAppIcon',
  'PnetIcon',
  'ImportExportIcon',
  'PodcastsIcon',
  'CableIcon',
  'CalendarIcon',
] as const;

const header = z.object({ key: z.string(), value: z.string() });

const webhookCommon = {
  object: z.literal('Webhook'),
  id: z.string(),
  name: z.string().optional(),
  enabled: z.boolean(),
  request_url: z.string(),
  format: z.enum(webhookFormats),
  account_ids: z.array(z.object({ id: z.string(), name: z.string().optional(), type: z.enum(accountTypes) })),
  headers: z.array(header),
  data: z.array(z.object({ name: z.string(), key: z.enum(webhookDataKeys) })),
  events: z.array(z.enum(webhookEvents)).optional(),
};

export const webhookShape = z.discriminatedUnion('type', [
  z.object({ ...webhookCommon, type: z.literal('AUTO') }),
  z.object({
    ...webhookCommon,
    type: z.literal('TRIGGER'),
    trigger: z.object({ icon: z.enum(triggerIcons), name: z.string(), context: z.enum(triggerContexts) }),
  }),
]);

export const webhookListShape = z.object({
  object: z.literal('WebhookList'),
  items: z.array(webhookShape),
  cursor: z.string().nullable(),
});

export const webhookCreatedShape = z.object({ object: z.literal('WebhookCreated'), webhook_id: z.string() });
export const webhookDeletedShape = z.object({ object: z.literal('WebhookDeleted') });

export const webhookOrders = ['created_at_asc', 'created_at_desc', 'name_asc', 'name_desc'] as const;
export type WebhookOrder = (typeof webhookOrders)[number];
/** The contract's. */
export const defaultWebhookOrder: WebhookOrder = 'created_at_asc';

export const webhookListRequestShape = z.strictObject({
  limit: pageLimit(webhookLimits.limit).optional(),
  cursor: pageCursor().optional(),
});

/** Settings of AUTO and TRIGGER webhooks, at creation and in updates. */
const settings = {
  name: shortText().optional(),
  format: z.enum(webhookFormats).optional(),
  account_ids: boundedList(resourceId(), 0, maxEntries).optional(),
  headers: boundedList(extraHeader(), 0, maxEntries).optional(),
};

const createCommon = { request_url: httpUrl(), ...settings, enabled: z.boolean().optional() };

const trigger = z.strictObject({
  icon: z.enum(triggerIcons),
  name: label(),
  context: z.enum(triggerContexts),
});

/** Not `event`, the event's type in every payload. */
const fieldName = () =>
  label().refine(
    (name) => name !== 'event',
    ownRule('not_allowed', 'must not be event: every payload has the type of its event there'),
  );

/** Names of payload fields, and the event's keys that they are read from. */
const dataMapping = <const Key extends string>(keys: readonly Key[]) =>
  boundedList(z.strictObject({ name: fieldName(), key: z.enum(keys) }), 0, maxEntries).superRefine(
    (fields: readonly unknown[], context) => {
      const names = new Set<unknown>();
      for (const [index, field] of fields.entries()) {
        const name = isObject(field) ? field.name : undefined;
        // Only one of them would be delivered.
        if (typeof name === 'string' && names.has(name)) {
          const repeated = ownRule('conflicting', 'must be given once: another field has this name');
          context.addIssue({ code: 'custom', path: [index, 'name'], ...repeated });
        }
        names.add(name);
      }
    },
    // Also where a key is wrong.
    { when: ({ value }) => Array.isArray(value) },
  );

/** With its own events and payload keys; without a choice of keys, no `data`. */
function createVariant<S extends WebhookSource>(source: S) {
  const { mapping, events, keys }: SourceRow = webhookSources[source];
  const data: z.ZodType<{ name: string; key: string }[]> =
    mapping === 'all' ? z.never('is not accepted for this source') : dataMapping(keys);
  return z.strictObject({
    source: z.literal(source),
    ...createCommon,
    events: boundedList(z.enum(events), 0, maxEntries).optional(),
    data: data.optional(),
  });
}

/** POST /v1/webhooks, discriminated on `source`. */
export const webhookCreateShape = z.discriminatedUnion(
  'source',
  // The table has at least one row, which the type of a list does not say.
  webhookSourceNames.map((name) => createVariant(name)) as [WebhookVariant, ...WebhookVariant[]],
);
type WebhookVariant = ReturnType<typeof createVariant<WebhookSource>>;

/** DELETE /v1/webhooks/{id}. */
export const webhookDeleteShape = z.strictObject({ id: resourceId() });

export type WebhookFormat = (typeof webhookFormats)[number];
export type Webhook = z.infer<typeof webhookShape>;
type TriggerWebhook = Extract<Webhook, { type: 'TRIGGER' }>;
export type WebhookTrigger = TriggerWebhook['trigger'];
export const largeParts = ['headers', 'data', 'account_ids'] as const;
type LargePart = (typeof largeParts)[number];
type WithoutLarge<Whole> = Whole extends unknown
  ? Omit<Whole, LargePart> & Partial<Pick<Whole, LargePart & keyof Whole>>
  : never;
/** With large parts only where they came with it: our own database reads them by themselves. */
export type ListedWebhook = WithoutLarge<Webhook>;
export type WebhookList = z.infer<typeof webhookListShape>;
export type WebhookListRequest = z.infer<typeof webhookListRequestShape>;
export type WebhookCreated = z.infer<typeof webhookCreatedShape>;
export type WebhookDeleted = z.infer<typeof webhookDeletedShape>;

const disabledReasons = ['caller', 'gone', 'failing'] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** A webhook has one of them. What makes one failing: delivery/destination-health.ts. */
export const webhookHealthStates = ['healthy', 'failing', 'disabled_by_gateway', 'disabled_by_caller'] as const;
export type WebhookHealthState = (typeof webhookHealthStates)[number];

/** Times are epoch milliseconds. */
export interface WebhookHealth {
  readonly state: WebhookHealthState;
  /** Null if enabled, or created disabled. */
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: number | null;
  /** The first of the failed attempts; null unless they are enough to call the webhook failing. */
  readonly failing_since: number | null;
  /** In a row; 0 after a success. */
  readonly failed_attempt_count: number;
  /** The end of a pause for overload; null without one. */
  readonly paused_until: number | null;
  readonly receives_notices: boolean;
}

export interface WebhookUpdated {
  readonly object: 'WebhookUpdated';
  readonly webhook_id: string;
}
export interface WebhookSecret {
  readonly object: 'WebhookSecret';
  readonly secret: string;
}

export const webhookIdShape = z.strictObject({ webhook_id: resourceId() });
export const createTriggerShape = z.strictObject({ ...createCommon, trigger });

/** Only present fields change. The backend checks `events`, `data` and `trigger` against the webhook; `data` of null is all keys of its source. */
export const updateShape = z.strictObject({
  webhook_id: resourceId(),
  request_url: httpUrl().optional(),
  ...settings,
  enabled: z.boolean().optional(),
  receives_notices: z.boolean().optional(),
  events: boundedList(z.enum(webhookEvents), 0, maxEntries).optional(),
  data: dataMapping(webhookDataKeys).nullable().optional(),
  trigger: trigger.optional(),
});

export type WebhookDelete = z.infer<typeof webhookDeleteShape>;
export type WebhookId = z.infer<typeof webhookIdShape>;
export type TriggerCreate = z.infer<typeof createTriggerShape>;
export type WebhookUpdate = z.infer<typeof updateShape>;
/** `events` and `data` fit the source. */
export type WebhookCreate = z.infer<typeof webhookCreateShape>;
