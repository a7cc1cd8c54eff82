/** Whether the deployment's secret is the one that its database was used with. Another one opens nothing that is sealed there. */
import { ConfigError } from '../../kernel/config-error.ts';
import type { Keys, Secrets } from '../../kernel/secrets/secret.ts';
import type { Database } from '../../store/database.ts';

/** What the database knows of the secret: that it is the current or the previous one, or nothing yet. */
type Recognized = 'current' | 'previous' | 'unknown';

const row = 'secret';

/** Tells one secret from another, and nothing of either: the keys are derived. */
const checkValue = (key: Uint8Array): string => Buffer.from(key).toString('base64url');

/** @throws ConfigError when the database was used with a secret that is neither of these */
export async function recognizeSecret(database: Database, keys: Keys, secrets: Secrets): Promise<Recognized> {
  const found = await database.selectFrom('deployment').select('value').where('name', '=', row).executeTakeFirst();
  return recognizeValue(found?.value, keys, secrets);
}

/**
 * @param value what the database knows of its secret
 * @throws ConfigError as {@link recognizeSecret}
 */
export function recognizeValue(value: string | undefined, keys: Keys, { origin }: Pick<Secrets, 'origin'>): Recognized {
  if (value === undefined) return 'unknown';
  if (value === checkValue(keys.current)) return 'current';
  if (keys.previous.some((key) => value === checkValue(key))) return 'previous';
  throw wrongSecret(origin);
}

/**
 * Stores that the database is used with the current secret from now on. Processes that start together on a new database
 * agree on the secret of the first.
 * @param recognized what {@link recognizeSecret} has found
 * @throws ConfigError when another process was faster, with another secret
 */
export async function recordSecret(
  database: Database,
  keys: Keys,
  secrets: Secrets,
  recognized: Recognized,
): Promise<void> {
  if (recognized === 'current') return;
  const value = checkValue(keys.current);
  await database
    .insertInto('deployment')
    .values({ name: row, value })
    .onConflict((conflict) =>
      recognized === 'unknown' ? conflict.doNothing() : conflict.column('name').doUpdateSet({ value }),
    )
    .execute();
  await recognizeSecret(database, keys, secrets);
}

/** @param origin where the secret is from: `SECRET`, or the path of a file */
export const wrongSecret = (origin: string): ConfigError =>
  new ConfigError(
    `${origin === 'SECRET' ? 'SECRET' : `The secret in ${origin}`} is not the one that this database was used with: restore the former one. To change it, set SECRET to the new one and SECRET_PREVIOUS to the former.`,
  );
