/**
 * Keeps a webhook at the service for each event that is wanted. Payloads do not name their event, so its address does.
 * The webhooks are found again by their names, which begin with an id of this deployment; others are not touched. The
 * contract cannot change a webhook: a wrong one is deleted, and created anew.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LearnedAccount } from '../../auth/account-repository.ts';
import { isServiceId } from '../../auth/account-rule.ts';
import { webhookEndpoints } from '../../capabilities/webhooks/endpoints.ts';
import type { Webhook, WebhookCreate } from '../../capabilities/webhooks/shapes.ts';
import { defaultMapping } from '../../events/event.ts';
import { sourceByEvent, type WebhookEvent, webhookSources } from '../../events/sources.ts';
import { fromUnknown, ServiceError } from '../../kernel/errors.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { pageOf, type Upstream } from '../../upstream/client.ts';
import { type IntakeSettings, intakeHeader, intakePath, type Registration } from './intake.ts';

export interface RegistrationsContext {
  readonly service: Upstream;
  readonly settings: IntakeSettings;
  /** Begins the names of webhooks of this deployment, under its current secret and former ones. */
  readonly prefixes: readonly [current: string, ...former: readonly string[]];
  readonly secret: string;
  /** One for each run, as an operation of a caller would have. */
  readonly context: () => RequestContext;
  /**
   * Runs the work if no other process does meanwhile. @returns null if another one does
   * @param work calls `stay` before each change; it rejects where the work has to end
   */
  readonly alone: <Result>(work: (stay: () => Promise<void>) => Promise<Result>) => Promise<Result | null>;
  /** Accounts that webhooks of the service name. */
  readonly learn: (accounts: readonly LearnedAccount[]) => Promise<void>;
}

/** Webhooks of a page: a service with more is refused, as none would be found again on a page that is not read. */
const pageSize = 250;
const maxPages = 40;

export function createRegistrations({
  service,
  settings,
  prefixes,
  secret,
  context,
  alone,
  learn,
}: RegistrationsContext) {
  /** What the service does not show as it was sent: it would be repaired for ever. */
  const unshown = new Set<string>();
  const nameOf = (event: WebhookEvent) => `${prefixes[0]} ${event}`;
  const isOurs = ({ name }: Webhook) =>
    typeof name === 'string' && prefixes.some((prefix) => name.startsWith(`${prefix} `));

  /** Each once: pages overlap where webhooks come and go meanwhile. */
  async function list(): Promise<Webhook[]> {
    const found = new Map<string, Webhook>();
    const call = context();
    const cursors = new Set<string | null | undefined>();
    let cursor: string | null | undefined;
    while (cursor !== null) {
      if (cursors.has(cursor) || cursors.size === maxPages) throw endless();
      cursors.add(cursor);
      const request = { limit: pageSize, cursor };
      const { items, cursor: next } = pageOf(await service.call(call, webhookEndpoints.list, request));
      for (const item of items) if (typeof item?.id === 'string') found.set(item.id, item);
      cursor = next;
    }
    const webhooks = [...found.values()];
    await learn(webhooks.flatMap(accountsOf));
    return webhooks.filter(isOurs);
  }

  const wanted = (event: WebhookEvent): WebhookCreate => {
    const source = sourceByEvent[event];
    if (source === undefined) throw new Error(`The event ${event} has no source`);
    return {
      source,
      name: nameOf(event),
      request_url: `${settings.publicUrl}${intakePath}/${event}`,
      format: 'json',
      enabled: true,
      events: [event],
      headers: [{ key: intakeHeader, value: secret }],
      ...(webhookSources[source].mapping === 'all' ? {} : { data: defaultMapping(source) }),
    } as WebhookCreate;
  };

  /** @returns the names of fields that are not as wanted */
  function differences(found: Webhook, event: WebhookEvent): string[] {
    const { request_url, format, events, headers, data } = wanted(event);
    const isWanted: Readonly<Record<string, boolean>> = {
      enabled: found.enabled,
      request_url: found.request_url === request_url,
      format: found.format === format,
      events: isDeepStrictEqual(found.events, events),
      account_ids: listOf(found.account_ids).length === 0,
      headers: headers?.every(({ key, value }) => hasHeader(found, key, value)) ?? true,
      data: data === undefined || data.every((field) => hasField(found, field)),
    };
    return Object.keys(isWanted).filter((name) => !isWanted[name] && !unshown.has(name));
  }

  /** Ours by event: the first that is as wanted, and all others, which are to go. */
  function sorted(ours: readonly Webhook[]) {
    const kept = new Map<WebhookEvent, Webhook>();
    const stale: Webhook[] = [];
    for (const webhook of ours) {
      const event = settings.events.find((each) => nameOf(each) === webhook.name);
      if (event === undefined || kept.has(event) || differences(webhook, event).length > 0) stale.push(webhook);
      else kept.set(event, webhook);
    }
    return { kept, stale };
  }

  const stateOf = (kept: ReadonlyMap<WebhookEvent, Webhook>, refusals: ReadonlyMap<WebhookEvent, string> = new Map()) =>
    settings.events.map((event): Registration => {
      if (kept.has(event)) return { event, state: 'active', detail: null };
      const detail = refusals.get(event) ?? null;
      return { event, state: detail === null ? 'missing' : 'refused', detail };
    });

  /** One that is gone already is no trouble. */
  async function discard(id: string): Promise<void> {
    try {
      await service.call(context(), webhookEndpoints.delete, { id });
    } catch (error) {
      if (fromUnknown(error).errorName !== 'resource_not_found') throw error;
    }
  }

  async function repair(stay: () => Promise<void>): Promise<readonly Registration[]> {
    // Others may have repaired it meanwhile.
    const before = sorted(await list());
    const refusals = new Map<WebhookEvent, string>();
    const created = new Map<WebhookEvent, string>();
    for (const event of settings.events) {
      if (before.kept.has(event)) continue;
      await stay();
      try {
        const { webhook_id } = await service.call(context(), webhookEndpoints.create, wanted(event));
        created.set(event, webhook_id);
      } catch (error) {
        const { type, detail } = fromUnknown(error);
        refusals.set(event, detail ?? type);
      }
    }
    const former = new Set(before.stale.map(({ id }) => id));
    const ours = created.size === 0 ? [...before.kept.values()] : (await list()).filter(({ id }) => !former.has(id));
    for (const [event, id] of created) {
      const webhook = ours.find(({ name }) => name === nameOf(event));
      if (webhook !== undefined && webhook.enabled !== false) {
        for (const name of differences(webhook, event)) unshown.add(name);
        continue;
      }
      // One more would be made with each look.
      const fault = webhook === undefined ? 'does not list the webhook under its name' : 'keeps the webhook disabled';
      refusals.set(event, `The service ${fault}.`);
      await stay();
      await discard(id);
    }
    // An event is never without its webhook: the new one exists, or the former one stays.
    for (const { id, name } of before.stale) {
      const event = settings.events.find((each) => nameOf(each) === name);
      if (event !== undefined && refusals.has(event)) continue;
      await stay();
      await discard(id);
    }
    return stateOf(sorted(ours).kept, refusals);
  }

  return {
    /** Changes nothing. */
    async status(): Promise<readonly Registration[]> {
      return stateOf(sorted(await list()).kept);
    },
    /** Creates what is missing, and deletes what is wrong. @throws ServiceError if the service cannot be asked */
    async sync(): Promise<readonly Registration[]> {
      const { kept, stale } = sorted(await list());
      const isDone = stale.length === 0 && kept.size === settings.events.length;
      return isDone ? stateOf(kept) : ((await alone(repair)) ?? stateOf(kept));
    },
    /** Deletes all. @returns how many */
    async remove(): Promise<number> {
      const ours = await list();
      for (const { id } of ours) await discard(id);
      return ours.length;
    },
  };
}

const endless = () =>
  new ServiceError('provider_error', {
    detail: `The list of webhooks at the service does not end within ${maxPages * pageSize}.`,
  });

/** Readers are tolerant: a service may leave out a list, or send null. */
const listOf = <Item>(list: readonly Item[] | null | undefined): readonly Item[] => (Array.isArray(list) ? list : []);

const hasHeader = ({ headers }: Webhook, wantedKey: string, wantedValue: string): boolean =>
  listOf(headers).some((header) => {
    const isIt = `${header?.key}`.toLowerCase() === wantedKey;
    // What a service masks cannot be compared: each start would replace all webhooks.
    return isIt && (header.value === wantedValue || /^\*+$/.test(`${header.value}`));
  });

const hasField = ({ data }: Webhook, wanted: { readonly name: string; readonly key: string }): boolean =>
  listOf(data).some((field) => field?.name === wanted.name && field.key === wanted.key);

const accountsOf = ({ account_ids }: Webhook): LearnedAccount[] =>
  listOf(account_ids).flatMap((account) =>
    typeof account?.id === 'string' && isServiceId(account.id)
      ? [{ id: account.id, name: textOf(account.name), type: textOf(account.type) }]
      : [],
  );

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
