/** Both backends read webhooks through here. */
import { accessTo, type Caller, mayActFor } from '../../kernel/caller.ts';
import { hiddenValue } from './headers.ts';
import type { Webhook } from './shapes.ts';

/**
 * A webhook as the caller may see it.
 * - One that the caller may manage is shown whole; its header values take the scope `webhooks:write`.
 * - One that also listens to accounts beyond the key is shown without header values, without what follows the host in
 *   its URL and without the other accounts: the holder of the key learns where the events of its accounts go, and nothing
 *   that would let it act in the place of the webhook's owner.
 * - One that listens only to accounts beyond the key is not shown at all.
 * @param webhook in the contract's read form. That of a remote service may be malformed.
 * @param accountIds the accounts that it listens to; empty for all of the workspace
 * @returns null if the caller may not see it
 */
export function shownTo(caller: Caller, webhook: Webhook, accountIds: readonly string[]): Webhook | null {
  const access = accessTo(caller, accountIds);
  switch (access) {
    case 'manage':
      return caller.scopes.has('webhooks:write') ? webhook : { ...webhook, headers: hiddenHeaders(webhook) };
    case 'see':
      return withoutSecrets(caller, webhook);
    case 'none':
      return null;
    default:
      return access satisfies never;
  }
}

/** A field that a remote service adds is none of them. */
function withoutSecrets(caller: Caller, webhook: Webhook): Webhook {
  const { object, id, name, enabled, format, data, events } = webhook;
  const common = {
    object,
    id,
    ...(name === undefined ? {} : { name }),
    enabled,
    request_url: shownUrl(webhook.request_url),
    format,
    account_ids: webhook.account_ids.filter((account) => mayActFor(caller, account?.id)),
    headers: hiddenHeaders(webhook),
    data,
    ...(events === undefined ? {} : { events }),
  };
  return webhook.type === 'TRIGGER'
    ? { ...common, type: webhook.type, trigger: webhook.trigger }
    : { ...common, type: webhook.type };
}

/** A value that is no list could hold secrets anywhere: nothing of it is shown. */
function hiddenHeaders({ headers }: Webhook): Webhook['headers'] {
  if (!Array.isArray(headers)) return [];
  return headers.map((header) => ({ key: header?.key, value: hiddenValue }));
}

/** Scheme, host and port: path and query may be credentials, as most chat services' are. */
function shownUrl(url: string): string {
  const { protocol, origin } = URL.parse(url) ?? {};
  return protocol === 'https:' || protocol === 'http:' ? `${origin}/${hiddenValue}` : hiddenValue;
}
