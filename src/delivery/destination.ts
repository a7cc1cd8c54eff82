/** Where deliveries go: a webhook and its stored destination, unsealed. */
import { LRUCache } from 'lru-cache';
import { openSecrets } from '../capabilities/webhooks/destinations.ts';
import { openHeaders } from '../capabilities/webhooks/repository.ts';
import type { WebhookFormat } from '../capabilities/webhooks/shapes.ts';
import type { SigningSecret } from '../capabilities/webhooks/signing-secret.ts';
import { toError } from '../kernel/lib/to-error.ts';
import type { Vault } from '../kernel/secrets/vault.ts';
import type { WebhookDestinationTable, WebhookTable } from '../store/schema.ts';
import { contentTypes } from './payload.ts';

export interface Destination {
  readonly webhookId: string;
  /** Since its last success. */
  readonly failing: boolean;
  /** Or why it cannot be read: it was changed, or sealed with another SECRET. */
  readonly target: Target | Error;
}

export interface Target {
  readonly url: URL;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  /** Names of `headers` in lower case. */
  readonly ownNames: ReadonlySet<string>;
  /** `headers` and defaults of others, names in lower case and values alternating. */
  readonly sentHeaders: readonly string[];
  readonly secrets: readonly SigningSecret[];
}

/** Kept destinations: unsealing costs as much as several requests. */
const maxDestinations = 2_000;
/** Bound of all kept, as stored: one webhook's headers may have a mebibyte. */
const maxKeptCharacters = 16 * 1024 * 1024;

type StoredWebhook = Pick<WebhookTable, 'id' | 'request_url' | 'format' | 'headers'> &
  Pick<WebhookDestinationTable, 'webhook_id' | 'secrets' | 'failing_since'>;

type OpenDestination = (webhook: StoredWebhook) => Destination;

/** Returns the same destination until it changes. */
export function createDestinations(vault: Vault): OpenDestination {
  const kept = new LRUCache<string, { readonly version: string; readonly destination: Destination }>({
    max: maxDestinations,
    maxSize: maxKeptCharacters,
    sizeCalculation: ({ version }) => version.length,
  });
  return (webhook) => {
    const failing = webhook.failing_since !== null;
    const version = JSON.stringify([webhook.request_url, webhook.format, webhook.headers, webhook.secrets, failing]);
    const known = kept.get(webhook.id);
    if (known?.version === version) return known.destination;
    const destination: Destination = { webhookId: webhook.id, failing, target: openTarget(vault, webhook) };
    kept.set(webhook.id, { version, destination });
    return destination;
  };
}

function openTarget(vault: Vault, webhook: StoredWebhook): Target | Error {
  try {
    const headers = openHeaders(vault, webhook);
    const own = headers.map(({ key, value }): [string, string] => [key.toLowerCase(), value]);
    const ownNames = new Set(own.map(([name]) => name));
    const defaults: readonly [string, string][] = [
      ['content-type', contentTypes[webhook.format as WebhookFormat]],
      ['user-agent', 'Postern'],
    ];
    return {
      url: new URL(webhook.request_url),
      headers,
      ownNames,
      sentHeaders: [...defaults.filter(([name]) => !ownNames.has(name)), ...own].flat(),
      secrets: openSecrets(vault, webhook),
    };
  } catch (error) {
    return toError(error);
  }
}
