/** Webhooks that tests store directly, because their subject is not how webhooks are created. */
import { randomBytes } from 'node:crypto';
import { insertWebhook } from '../../src/capabilities/webhooks/repository.ts';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { createVault } from '../../src/kernel/secrets/vault.ts';
import type { Database } from '../../src/store/database.ts';
import type { WebhookTable } from '../../src/store/schema.ts';

/** The SECRET of every gateway of the tests: several on one database open what the others have sealed. */
export const testSecret = 'the secret that all gateways of the tests share';

export const testVault = createVault(deriveKeys(testSecret)('webhook-secrets'), randomBytes);

/** Stores a webhook as the registry does: with a destination, and so with a signing secret. */
export const storeWebhook = (database: Database, row: WebhookTable): Promise<void> =>
  database.transaction().execute((open) => insertWebhook(open, { vault: testVault, randomBytes }, row));
