/**
 * A process that writes: `node writer.ts <DATABASE_URL> <name> <count>` makes workspaces, each in a transaction that
 * reads before it writes.
 */
import { readConfig } from '../../src/app/config/config.ts';
import { openDatabase } from '../../src/store/database.ts';

const [url, name, count] = process.argv.slice(2);
const database = await openDatabase(readConfig({ DATABASE_URL: url }).database);
for (let index = 0; index < Number(count); index += 1) {
  await database.transaction().execute(async (transaction) => {
    const { before } = await transaction
      .selectFrom('workspaces')
      .select(({ fn }) => fn.countAll<number>().as('before'))
      .executeTakeFirstOrThrow();
    const id = `${name}-${index}`;
    await transaction
      .insertInto('workspaces')
      .values({ id, name: id, created_at: Number(before) })
      .execute();
  });
}
await database.destroy();
