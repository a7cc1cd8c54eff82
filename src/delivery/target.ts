/** Where deliveries go, and how: what a webhook and its destination say, made ready for requests. */

import type { Vault } from '../security/vault.ts';
import type { WebhookDestinationTable, WebhookTable } from '../store/schema.ts';
import { openSecrets } from '../webhooks/destinations.ts';
import { openHeaders } from '../webhooks/repository.ts';
import type { WebhookFormat } from '../webhooks/shapes.ts';
import type { SigningSecret } from './signature.ts';

/** Deliveries of one claim to the same webhook share it. */
export interface Target {
  readonly webhookId: string;
  readonly url: URL;
  readonly format: WebhookFormat;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly secrets: readonly SigningSecret[];
  readonly failing: boolean;
}

/** Targets are kept ready for this many webhooks: opening what is sealed costs as much as several requests. */
const keptTargets = 2_000;

export type TargetOf = (webhook: WebhookTable, destination: WebhookDestinationTable) => Target;

/** Makes targets, and gives one again as long as nothing of it has changed. */
export function createTargets(vault: Vault): TargetOf {
  const kept = new Map<string, { readonly made: string; readonly target: Target }>();
  return (webhook, destination) => {
    const failing = destination.failing_since !== null;
    const made = JSON.stringify([webhook.request_url, webhook.format, webhook.headers, destination.secrets, failing]);
    const known = kept.get(webhook.id);
    kept.delete(webhook.id);
    if (known?.made === made) {
      kept.set(webhook.id, known);
      return known.target;
    }
    const target: Target = {
      webhookId: webhook.id,
      url: new URL(webhook.request_url),
      format: webhook.format as WebhookFormat,
      headers: openHeaders(vault, webhook),
      secrets: openSecrets(vault, destination),
      failing,
    };
    kept.set(webhook.id, { made, target });
    const [oldest] = kept.size > keptTargets ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
    return target;
  };
}
