/** Transactions in the thread of their connection. */
import { Kysely, type SqliteDatabase, type Transaction } from 'kysely';
import type { Tables } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { ModuleTransaction } from './sqlite-threads.ts';

interface TransactingModule {
  transact(transaction: Transaction<Tables>, input: unknown): Promise<unknown>;
}

let database: Kysely<Tables> | undefined;

/** @param connection the only one of the thread */
export async function transactIn(connection: SqliteDatabase, { module, input }: ModuleTransaction): Promise<unknown> {
  const { transact }: TransactingModule = await import(module);
  database ??= new Kysely<Tables>({ dialect: sqliteDialect(async () => connection) });
  return database.transaction().execute((transaction) => transact(transaction, input));
}
