/**
 * Postern's database as a team would read it by hand: a statement for each list, prepared once, and the rows as they are.
 * No module of Postern is in it but the sandbox networks, which make their posts of nothing and so are work of both.
 *
 * @typedef {{ accountOf(id: string): Promise<object>, webhook(id: string): Promise<object>, webhooks(count: number): Promise<object[]>,
 *   jobs(count: number): Promise<object[]>, deliveries(webhookId: string, count: number): Promise<object[]> }} Reader
 */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

const webhookColumns = 'id, type, source, name, enabled, request_url, format, events, created_at';
const jobColumns = 'id, account_id, state, fields, created_at, updated_at';
const deliveryColumns =
  'id, event_id, event, account_id, state, attempts, next_at, claim_token, created_at, finished_at';

/** Each state is a range of an index. */
const ofState = (state) =>
  `select * from (select ${deliveryColumns} from deliveries where webhook_id = $1 and state = '${state}' order by created_at desc, id desc limit $2) as ${state}`;

/** `$1` is the workspace, an id or a webhook's id, `$2` the number of rows or the workspace. */
const statements = {
  account: 'select id, type, session from accounts where id = $1 and workspace_id = $2',
  webhook: `select ${webhookColumns} from webhooks where id = $1 and (workspace_id = $2) is true`,
  webhooks: `select ${webhookColumns} from webhooks where workspace_id = $1 order by created_at, id limit $2`,
  jobs: `select ${jobColumns} from jobs where workspace_id = $1 order by created_at desc, id desc limit $2`,
  deliveries: `${['pending', 'held', 'succeeded', 'failed'].map(ofState).join(' union all ')} order by created_at desc, id desc limit $2`,
};

/** @returns for each statement a function of its parameters that reads its rows */
function openSqlite(file) {
  const database = new DatabaseSync(file, { readOnly: true });
  return (sql) => {
    const statement = database.prepare(sql.replaceAll(/\$(\d)/g, '?$1'));
    return async (...parameters) => statement.all(...parameters);
  };
}

function openPostgres(url) {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  // Times are bigint, which the driver reads as text.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  return (text, name) =>
    async (...values) =>
      (await pool.query({ name, text, values })).rows;
}

/** @param url of Postern: `sqlite:FILE` or `postgres://…`. @returns {Reader} */
export function openDatabase(url, workspaceId) {
  const prepare = url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length)) : openPostgres(url);
  const read = Object.fromEntries(Object.entries(statements).map(([name, sql]) => [name, prepare(sql, name)]));
  return {
    accountOf: async (id) => (await read.account(id, workspaceId))[0],
    webhook: async (id) => (await read.webhook(id, workspaceId))[0] ?? null,
    webhooks: (count) => read.webhooks(workspaceId, count),
    jobs: (count) => read.jobs(workspaceId, count),
    deliveries: (webhookId, count) => read.deliveries(webhookId, count),
  };
}
