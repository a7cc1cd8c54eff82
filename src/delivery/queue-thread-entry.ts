/** The thread that the turns of the queue are made in, on a connection of its own. */

import { Kysely } from 'kysely';
import { workerData } from 'piscina';
import type { Tables } from '../store/schema.ts';
import { sqliteDialect } from '../store/sqlite.ts';
import { announcements } from './notifications.ts';
import { makeTurn, type TurnOrder, type TurnReport } from './queue-transaction.ts';

const database = new Kysely<Tables>({ dialect: sqliteDialect(workerData) });
const context = { kind: 'sqlite', signals: announcements('sqlite', '') } as const;

export default (order: TurnOrder): Promise<TurnReport> =>
  database.transaction().execute((transaction) => makeTurn(transaction, context, order));
