/** Webhooks: vocabularies, the read form, and the body that creates one (contract, "Webhook" and endpoint 4). */
import { z } from 'zod';
import { accountTypes } from '../accounts/shapes.ts';
import { boundedList, httpUrl, identifier, maxEntries, pageLimit, shortText } from '../shape.ts';
import { extraHeader } from './headers.ts';
import { type WebhookSource, webhookDataKeys, webhookEvents, webhookSources } from './sources.ts';

export const webhookLimits = { limit: { min: 1, max: 250, default: 100 } } as const;

export const webhookFormats = ['json', 'form'] as const;
export const webhookTypes = ['AUTO', 'TRIGGER'] as const;
export const triggerContexts = ['MESSAGE', 'CHAT'] as const;
/** Clients look components up by these names: they stay as the contract spells them, in GraphQL too. */
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

/** The query of GET /v1/webhooks. */
export const webhookListRequestShape = z.strictObject({
  limit: pageLimit(webhookLimits.limit.max).optional(),
  cursor: z.string().min(1, 'must not be empty').optional(),
});

const createCommon = {
  request_url: httpUrl(),
  name: shortText().optional(),
  format: z.enum(webhookFormats).optional(),
  enabled: z.boolean().optional(),
  account_ids: boundedList(identifier(), 0, maxEntries).optional(),
  headers: boundedList(extraHeader(), 0, maxEntries).optional(),
};

/** The variant of one source: its own events, its own payload keys, and no `data` where it has no keys. */
function createVariant<S extends WebhookSource>(source: S) {
  const { events, keys }: { events: readonly string[]; keys: readonly string[] } = webhookSources[source];
  return z.strictObject({
    source: z.literal(source),
    ...createCommon,
    events: boundedList(z.enum(events), 0, maxEntries).optional(),
    data: mapping(keys).optional(),
  });
}

const mapping = (keys: readonly string[]): z.ZodType<{ name: string; key: string }[]> =>
  keys.length === 0
    ? z.never('is not accepted for this source')
    : boundedList(z.strictObject({ name: shortText().min(1, 'must not be empty'), key: z.enum(keys) }), 0, maxEntries);

/** POST /v1/webhooks: the body, discriminated on `source`. */
export const webhookCreateShape = z.discriminatedUnion('source', [
  createVariant('messaging'),
  createVariant('users'),
  createVariant('account_status'),
  createVariant('email'),
  createVariant('email_tracking'),
  createVariant('calendar_event'),
]);

/** DELETE /v1/webhooks/{id}: the path's id. */
export const webhookDeleteShape = z.strictObject({ id: identifier() });

export type WebhookFormat = (typeof webhookFormats)[number];
export type Webhook = z.infer<typeof webhookShape>;
export type TriggerWebhook = Extract<Webhook, { type: 'TRIGGER' }>;
export type WebhookTrigger = TriggerWebhook['trigger'];
export type WebhookList = z.infer<typeof webhookListShape>;
export type WebhookListRequest = z.infer<typeof webhookListRequestShape>;
export type WebhookCreated = z.infer<typeof webhookCreatedShape>;
export type WebhookDeleted = z.infer<typeof webhookDeletedShape>;

/** A webhook to be made. Whether `events` and `data` fit the source has been checked by the shape. */
export interface WebhookCreate {
  readonly source: WebhookSource;
  readonly request_url: string;
  readonly name?: string | undefined;
  readonly format?: WebhookFormat | undefined;
  readonly enabled?: boolean | undefined;
  readonly account_ids?: readonly string[] | undefined;
  readonly events?: readonly string[] | undefined;
  readonly headers?: readonly { readonly key: string; readonly value: string }[] | undefined;
  readonly data?: readonly { readonly name: string; readonly key: string }[] | undefined;
}
