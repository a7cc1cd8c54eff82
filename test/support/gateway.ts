/** A whole gateway for a test: a real HTTP server, its own database, the sandbox networks, and a clock that tests set. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'graphql-yoga';
import { pino } from 'pino';
import { type App, createApp } from '../../src/app/app.ts';
import { serviceWorkspace } from '../../src/app/backends/fronting-backend.ts';
import { readConfig } from '../../src/app/config/config.ts';
import type { AccountStatus, AccountType } from '../../src/auth/account.ts';
import { createKey } from '../../src/auth/api-keys.ts';
import { ensureWorkspace } from '../../src/auth/workspaces.ts';
import type { LeaseTuning } from '../../src/capabilities/jobs/lease.ts';
import type { DeliveryTuning } from '../../src/delivery/engine.ts';
import { type Scope, scopeNames } from '../../src/kernel/caller.ts';
import { newId } from '../../src/kernel/ids.ts';
import { logOptions } from '../../src/kernel/log.ts';
import { findSecrets } from '../../src/kernel/secrets/secret.ts';
import type { Providers } from '../../src/providers/provider.ts';
import {
  type SandboxNetworks,
  type SandboxSessionName,
  sandboxNetworks,
  sandboxToken,
} from '../../src/providers/sandbox/networks.ts';
import { openTelemetry } from '../../src/telemetry/open.ts';
import { direct, writeSchema } from './databases.ts';
import { type Tuning, tuned } from './tuning.ts';
import { testSecret } from './webhooks.ts';

export interface Gateway {
  readonly app: App;
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** The folder of the gateway's own files. */
  readonly directory: string;
  /** The gateway's time; tests move it. */
  readonly clock: { now: Date };
  /** The log so far, parsed line by line. */
  readonly log: Record<string, unknown>[];
  /** Creates a workspace with its own API key. */
  workspace(): Promise<TestWorkspace>;
  close(): Promise<void>;
}

export interface TestWorkspace {
  /** That its keys reach. With webhooks of its own in front of a service, all keys of a gateway reach one. */
  readonly workspaceId: string;
  /** An API key with every scope for every account. */
  readonly key: string;
  /** Connects an account. By default its type is PNET, its status OK, and its session works. */
  account(options?: {
    type?: AccountType;
    status?: AccountStatus;
    session?: SandboxSessionName;
    name?: string;
  }): Promise<string>;
  /** Creates another API key. */
  newKey(options?: { scopes?: readonly Scope[]; accountIds?: readonly string[]; expiresAt?: Date }): Promise<string>;
}

export interface GatewayOptions {
  /** Environment variables in addition to the defaults below, such as the `DATABASE_URL` of a database from databases.ts. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Wraps the providers to count calls or to make them fail. */
  readonly providers?: (sandbox: SandboxNetworks) => Providers;
  /** A clock that several gateways share. */
  readonly clock?: { now: Date };
  /** The timing of deliveries. */
  readonly delivery?: DeliveryTuning;
  /** Settings that have no variable. */
  readonly tuning?: Tuning;
  /** The timing of the leases on jobs. */
  readonly leases?: LeaseTuning;
  readonly plugins?: readonly Plugin[];
}

export async function startGateway({
  environment = {},
  providers = (sandbox) => sandbox,
  clock = { now: new Date('2026-11-20T12:00:00Z') },
  delivery = {},
  leases = {},
  tuning = {},
  plugins = [],
}: GatewayOptions = {}): Promise<Gateway> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-'));
  const file = join(directory, 'postern.db');
  if (environment.DATABASE_URL === undefined) await writeSchema(file);
  const read = readConfig({
    NODE_ENV: 'test',
    PORT: '0',
    DEMO: 'off',
    // Gateways on one database share it, and none writes a secret file into the working directory.
    SECRET: testSecret,
    LOG_LEVEL: 'info',
    DATABASE_URL: `sqlite:${file}`,
    ...direct(environment.DATABASE_URL),
    ...environment,
  });
  const config = tuned(read, tuning);
  const log: Record<string, unknown>[] = [];
  const telemetry = await openTelemetry(config.telemetry, (fields, message) => logger.warn(fields, message));
  const secrets = await findSecrets(config, randomBytes);
  const logger = pino(logOptions(config.logLevel, telemetry.tracer, [...config.secrets, secrets.current]), {
    write: (line: string) => void log.push(JSON.parse(line)),
  });
  const now = () => clock.now;
  const app = await createApp(config, {
    logger,
    secrets,
    telemetry,
    now,
    randomBytes,
    providers: providers(sandboxNetworks({ clock: now })),
    delivery,
    leases,
    plugins,
  });
  const address = await app.listen();
  return {
    app,
    address,
    directory,
    clock,
    log,
    workspace: () => createWorkspace(app, clock, config.intake !== null),
    async close() {
      await app.close();
      await telemetry.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function createWorkspace({ database }: App, clock: { now: Date }, isShared: boolean): Promise<TestWorkspace> {
  const ofKeys = newId(randomBytes);
  const created_at = clock.now.getTime();
  await database.insertInto('workspaces').values({ id: ofKeys, name: ofKeys, created_at }).execute();
  const workspaceId = isShared
    ? await ensureWorkspace(database, serviceWorkspace, { now: clock.now, randomBytes })
    : ofKeys;
  const newKey: TestWorkspace['newKey'] = async ({ scopes = scopeNames, accountIds = null, expiresAt = null } = {}) => {
    const made = { now: clock.now, randomBytes };
    return (await createKey(database, { workspaceId: ofKeys, name: 'test', scopes, accountIds, expiresAt }, made)).key;
  };
  return {
    workspaceId,
    key: await newKey(),
    newKey,
    async account({ type = 'PNET', status = 'OK', session = 'ok', name = type } = {}) {
      const id = newId(randomBytes);
      const row = { id, workspace_id: workspaceId, name, type, status, session: sandboxToken(session), created_at };
      await database.insertInto('accounts').values(row).execute();
      return id;
    },
  };
}

/** A GraphQL response over HTTP. */
export interface GraphQLResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read data of every shape
  readonly data: any;
  readonly errors: readonly { message: string; path?: (string | number)[]; extensions: Record<string, unknown> }[];
}

/** Sends a GraphQL operation as a client would. */
export async function graphql(
  address: string,
  key: string | undefined,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<GraphQLResponse> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
    body: JSON.stringify({ query, variables }),
  });
  const { data = null, errors = [] } = (await response.json()) as Partial<GraphQLResponse>;
  return { status: response.status, headers: response.headers, data, errors };
}
