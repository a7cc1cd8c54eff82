/** Whether the database was used with the deployment's secret: another one opens nothing that is sealed there. */
import { ConfigError } from '../../kernel/config-error.ts';
import type { Keys, Secrets } from '../../kernel/secrets/secret.ts';
import type { Database } from '../../store/database.ts';

type Recognized = 'current' | 'previous' | 'unknown';

const secretRow = 'secret';

/** Derived: tells nothing of the secret. */
const checkValue = (key: Uint8Array): string => Buffer.from(key).toString('base64url');

/** @throws ConfigError for a database used with neither secret */
export async function recognizeSecret(database: Database, keys: Keys, secrets: Secrets): Promise<Recognized> {
  const found = await database
    .selectFrom('deployment')
    .select('value')
    .where('name', '=', secretRow)
    .executeTakeFirst();
  return recognizeValue(found?.value, keys, secrets);
}

/** @param value stored in the database. @throws ConfigError as {@link recognizeSecret} */
export function recognizeValue(value: string | undefined, keys: Keys, { origin }: Pick<Secrets, 'origin'>): Recognized {
  if (value === undefined) return 'unknown';
  if (value === checkValue(keys.current)) return 'current';
  if (keys.previous.some((key) => value === checkValue(key))) return 'previous';
  throw wrongSecret(origin);
}

/** Records the secret. If processes start together on a new database, the first one does. @throws ConfigError in the others */
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
    .values({ name: secretRow, value })
    .onConflict((conflict) =>
      recognized === 'unknown' ? conflict.doNothing() : conflict.column('name').doUpdateSet({ value }),
    )
    .execute();
  await recognizeSecret(database, keys, secrets);
}

/** @param origin `SECRET`, or a file's path */
export const wrongSecret = (origin: string): ConfigError =>
  new ConfigError(
    `${origin === 'SECRET' ? 'SECRET' : `The secret in ${origin}`} is not the one that this database was used with: restore the former one. To change it, set SECRET to the new one and SECRET_PREVIOUS to the former.`,
  );
