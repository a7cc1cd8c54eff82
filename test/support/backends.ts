/**
 * The backends that a face is tested over. Each suite is `describe.each(backends)`: what a backend answers must not
 * depend on which one it is. Data is made in the database of the gateway that holds it, never through the face under
 * test, so that no test needs what another proves.
 */
import { randomBytes } from 'node:crypto';
import { learnAccounts } from '../../src/auth/account-repository.ts';
import { newJobId } from '../../src/capabilities/jobs/repository.ts';
import type { JobFields, JobState } from '../../src/capabilities/jobs/shapes.ts';
import type { WebhookTrigger } from '../../src/capabilities/webhooks/shapes.ts';
import { newId } from '../../src/kernel/ids.ts';
import { companyJobId, type JobScenarioName } from '../../src/providers/sandbox/networks.ts';
import type { Database } from '../../src/store/database.ts';
import type { JobTable, WebhookTable } from '../../src/store/schema.ts';
import { databases } from './databases.ts';
import { inFrontOf } from './fronting.ts';
import { type Gateway, type GatewayOptions, graphql, startGateway, type TestWorkspace } from './gateway.ts';
import { storeWebhook } from './webhooks.ts';

export interface Backend {
  readonly name: string;
  /**
   * The additions to the contract that it serves: drafts and job reads, the list of accounts, what is wrong field by field in
   * jobs and in webhooks. And workspaces that see nothing of each other; where all keys share one, an account can be named
   * that the gateway does not know yet.
   */
  readonly serves: Readonly<Record<'drafts' | 'accounts' | 'jobIssues' | 'webhookIssues' | 'workspaces', boolean>>;
  /** `environment` is that of the face under test, `providers` wraps those of the gateway that holds the data. */
  start(options?: GatewayOptions): Promise<Served>;
}

/** A face under test, and the data behind it. */
export interface Served {
  /** Of the face under test: `http://127.0.0.1:<port>`. */
  readonly address: string;
  /** The time that every gateway of this backend believes it is; tests move it. */
  readonly clock: { now: Date };
  /** The lines that the face under test has logged, parsed. */
  readonly log: Record<string, unknown>[];
  /** The database that holds the data. */
  readonly database: Database;
  workspace(): Promise<SeededWorkspace>;
  /** One without webhooks. Where all keys share a workspace, those that it has are gone. */
  emptyWorkspace(): Promise<SeededWorkspace>;
  close(): Promise<void>;
}

export interface SeededWorkspace extends TestWorkspace {
  /** Sends a GraphQL operation to the face under test with the workspace's key. */
  ask(query: string, variables?: Record<string, unknown>): ReturnType<typeof graphql>;
  /** Stores a posting and answers its id: a draft that publishes at once, unless said otherwise. */
  draft(options: {
    accountId: string;
    /** What comes of publishing and editing it. */
    scenario?: JobScenarioName;
    state?: JobState;
    /** What it says, beside a title and the scenario. */
    fields?: JobFields;
  }): Promise<string>;
  /** The posting as it is stored. */
  job(jobId: string): Promise<{ state: string; fields: JobFields; checkpoint: unknown }>;
  /** Stores a webhook and answers its id: an AUTO one of the source `users`, unless said otherwise. */
  webhook(options?: Partial<Omit<WebhookTable, 'trigger'>> & { trigger?: WebhookTrigger }): Promise<string>;
}

const everything = { drafts: true, accounts: true, jobIssues: true, webhookIssues: true, workspaces: true } as const;

export const backends: readonly Backend[] = [
  ...databases.map(
    (dialect): Backend => ({
      name: `embedded on ${dialect.name}`,
      serves: everything,
      async start({ environment, ...options } = {}) {
        const database = await dialect.withSchema();
        const gateway = await startGateway({ ...options, environment: { DATABASE_URL: database.url, ...environment } });
        return {
          ...gateway,
          ...seeded(gateway, gateway.address),
          async close() {
            await gateway.close();
            await database.drop();
          },
        };
      },
    }),
  ),
  {
    // A gateway in proxy mode with forwarded keys. Its service is the REST face of another, which holds the data.
    name: 'proxy',
    serves: { drafts: false, accounts: false, jobIssues: false, webhookIssues: false, workspaces: true },
    async start({ environment, providers, leases = {}, clock = { now: new Date('2026-11-20T12:00:00Z') } } = {}) {
      const origin = await startGateway({ clock, leases, ...(providers === undefined ? {} : { providers }) });
      const face = await startGateway({ clock, environment: { UPSTREAM_URL: origin.address, ...environment } });
      return {
        ...face,
        ...seeded(origin, face.address),
        async close() {
          await face.close();
          await origin.close();
        },
      };
    },
  },
];

/** In front of a service, with webhooks of its own. */
const ownWebhooks: Backend = {
  name: 'own webhooks',
  serves: { drafts: false, accounts: true, jobIssues: false, webhookIssues: true, workspaces: false },
  async start({ environment, providers, leases = {}, clock = { now: new Date('2026-11-20T12:00:00Z') } } = {}) {
    const origin = await startGateway({
      clock,
      leases,
      environment: { OUTBOUND_ALLOW: '127.0.0.0/8' },
      ...(providers === undefined ? {} : { providers }),
    });
    const space = await origin.workspace();
    const face = await startGateway({
      clock,
      environment: { ...inFrontOf(origin, space), ...environment },
    });
    const { database } = face.app;
    async function workspace(): Promise<SeededWorkspace> {
      const own = seedWorkspace(await face.workspace(), database, face.address, clock);
      const jobs = seedWorkspace(space, origin.app.database, face.address, clock);
      return {
        ...own,
        draft: jobs.draft,
        job: jobs.job,
        async account(options) {
          const id = await space.account(options);
          const { name = null, type = 'PNET', status = 'OK' } = options ?? {};
          await learnAccounts(database, own.workspaceId, [{ id, name: name ?? type, type, status }], clock.now);
          return id;
        },
      };
    }
    return {
      ...face,
      database,
      workspace,
      async emptyWorkspace() {
        await database.deleteFrom('webhooks').execute();
        return workspace();
      },
      async close() {
        await face.close();
        await origin.close();
      },
    };
  },
};

/** With the one in which all keys share a workspace. */
export const allBackends: readonly Backend[] = [...backends, ownWebhooks];

/**
 * For suites whose subject is no statement: the suites of jobs, webhooks, deliveries and of the store execute each of them on
 * every database.
 */
export const onOneDatabase = (all: readonly Backend[]): readonly Backend[] =>
  all.filter(({ name }) => name !== 'embedded on Postgres');

/** What a backend needs to hand out, where `origin` holds the data and `address` is the face under test. */
export function seeded(origin: Gateway, address: string): Pick<Served, 'database' | 'workspace' | 'emptyWorkspace'> {
  const { database } = origin.app;
  const workspace = async () => seedWorkspace(await origin.workspace(), database, address, origin.clock);
  return { database, workspace, emptyWorkspace: workspace };
}

function seedWorkspace(
  workspace: TestWorkspace,
  database: Database,
  address: string,
  clock: { readonly now: Date },
): SeededWorkspace {
  const { workspaceId } = workspace;
  return {
    ...workspace,
    ask: (query, variables) => graphql(address, workspace.key, query, variables),
    async draft({ accountId, scenario, state = 'draft', fields = {} }) {
      const created_at = clock.now.getTime();
      const row: JobTable = {
        id: newJobId(randomBytes),
        workspace_id: workspaceId,
        account_id: accountId,
        state,
        fields: JSON.stringify({
          job_title: { text: 'Software Engineer' },
          ...(scenario === undefined ? {} : { company_job_id: companyJobId(scenario) }),
          ...fields,
        }),
        checkpoint: null,
        claimed_until: 0,
        claimed_by: null,
        publication: null,
        created_at,
        updated_at: created_at,
      };
      await database.insertInto('jobs').values(row).execute();
      return row.id;
    },
    async job(jobId) {
      const row = await database.selectFrom('jobs').selectAll().where('id', '=', jobId).executeTakeFirstOrThrow();
      return {
        state: row.state,
        fields: JSON.parse(row.fields),
        checkpoint: row.checkpoint === null ? null : JSON.parse(row.checkpoint),
      };
    },
    async webhook({ trigger, ...options } = {}) {
      const row: WebhookTable = {
        id: newId(randomBytes),
        workspace_id: workspaceId,
        type: trigger === undefined ? 'AUTO' : 'TRIGGER',
        source: trigger === undefined ? 'users' : null,
        name: null,
        enabled: 1,
        request_url: 'https://hooks.example/in',
        format: 'json',
        account_ids: '[]',
        headers: '[]',
        data: '[]',
        events: trigger === undefined ? '["new_relation"]' : '[]',
        created_at: clock.now.getTime(),
        ...options,
        trigger: trigger === undefined ? null : JSON.stringify(trigger),
      };
      await storeWebhook(database, row);
      return row.id;
    },
  };
}
