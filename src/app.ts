/** The composition root: picks the backend, mounts the faces, and knows how to stop. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { embeddedAccounts } from './accounts/embedded.ts';
import { upstreamAccounts } from './accounts/upstream.ts';
import { authenticate } from './auth/api-keys.ts';
import { acceptForwardedKey } from './auth/forwarded-key.ts';
import { type Config, ConfigError } from './config.ts';
import { embeddedDeliveries } from './deliveries/embedded.ts';
import { upstreamDeliveries } from './deliveries/upstream.ts';
import { type Delivery, type DeliveryTuning, startDelivery } from './delivery/engine.ts';
import { type GraphiQLOptions, isLoopback } from './graphql/graphiql/page.ts';
import { mountGraphQL } from './graphql/server.ts';
import type { Idempotency } from './http/idempotency.ts';
import { type Authenticate, createHttpServer } from './http/server.ts';
import type { RandomBytes } from './ids.ts';
import { embeddedJobs } from './jobs/embedded.ts';
import { jobVocabularies } from './jobs/endpoints.ts';
import { upstreamJobs } from './jobs/upstream.ts';
import { cursorCodec } from './paging.ts';
import type { Ports } from './ports.ts';
import { embeddedPosts } from './posts/embedded.ts';
import { postVocabularies } from './posts/endpoints.ts';
import { upstreamPosts } from './posts/upstream.ts';
import type { Networks } from './providers/provider.ts';
import { ensureDemo, readDemoKey } from './providers/sandbox/demo.ts';
import { withDeadlines } from './providers/with-deadlines.ts';
import { mountRest, toAllowedErrorAt } from './rest/server.ts';
import { addressRule } from './security/addresses.ts';
import { type DeriveKey, keptSecret, keysFrom } from './security/secret.ts';
import { createVault } from './security/vault.ts';
import { type Database, openDatabase, ping } from './store/database.ts';
import { databaseIdempotency } from './store/idempotency.ts';
import { createUpstream, type Upstream } from './upstream/client.ts';
import type { UpstreamSettings } from './upstream/settings.ts';
import { commonVocabularies } from './upstream/translation.ts';
import { embeddedWebhooks } from './webhooks/embedded.ts';
import { webhookVocabularies } from './webhooks/endpoints.ts';
import { upstreamWebhooks } from './webhooks/upstream.ts';

/** What the process gives the gateway: all that it cannot know or do by itself. */
export interface Surroundings {
  readonly logger: Logger;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly networks: Networks;
  /** How deliveries are timed; as it should be unless a test needs it otherwise. */
  readonly delivery?: DeliveryTuning;
}

/** A service that answers the ports, and what belongs to it. */
interface Backend {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  /** Honours `Idempotency-Key`; a backend without it passes the key on. */
  readonly idempotency?: Idempotency;
  readonly delivery: Delivery | null;
  /** Rejects while the backend cannot answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface App {
  readonly server: FastifyInstance;
  readonly ports: Ports;
  /** Keys, and with the embedded backend everything else. A gateway that sends its callers' keys on has none. */
  readonly database: Database;
  /** Starts to listen. Answers the address, as `http://127.0.0.1:4000`. */
  listen(): Promise<string>;
  /** Sends events to webhooks; null where another service does. */
  readonly delivery: Delivery | null;
  /** Takes no new request, lets those in flight end, and closes what it opened. */
  close(): Promise<void>;
}

export async function createApp(config: Config, surroundings: Surroundings): Promise<App> {
  const { logger, randomBytes } = surroundings;
  const keys = keysFrom(config.secret ?? (await keptSecret(config.dataDirectory, randomBytes)));
  const database = needsDatabase(config) ? await openDatabase(config.database) : null;
  const backend =
    config.upstream === null
      ? await embedded(requireDatabase(database), keys, config, surroundings)
      : upstream(config.upstream, database, surroundings);
  const server = createHttpServer({ logger, ready: backend.ready, adjust: toAllowedErrorAt });
  mountGraphQL(server, {
    ...backend,
    cursors: cursorCodec(keys('graphql-cursors'), 'base64url'),
    graphiql: config.graphiql ? graphiqlOptions(config) : null,
  });
  mountRest(server, backend);
  return {
    server,
    ports: backend.ports,
    get database() {
      return requireDatabase(database);
    },
    delivery: backend.delivery,
    async listen() {
      await server.listen({ host: config.host, port: config.port });
      const { address, family, port } = server.server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    },
    async close() {
      // Subscriptions would never end by themselves, and the server waits for every answer.
      backend.delivery?.signals.end();
      await server.close();
      await backend.close();
    },
  };
}

/** The demo key is shown to nobody but those who sit at the machine that they develop on. */
function graphiqlOptions({ host, production, dataDirectory, upstream }: Config): GraphiQLOptions {
  return !production && isLoopback(host) && upstream === null ? { demoKey: () => readDemoKey(dataDirectory) } : {};
}

async function makeDemo(database: Database, config: Config, { logger, now, randomBytes }: Surroundings): Promise<void> {
  const file = await ensureDemo(database, { directory: config.dataDirectory, now: now(), randomBytes });
  if (file !== null) logger.info(`The database was empty: made a demo workspace; its API key is in ${file}`);
}

/** A gateway whose callers bring the upstream's keys keeps nothing: it may run in any number of replicas. */
const needsDatabase = ({ upstream }: Config): boolean => upstream === null || upstream.apiKey !== undefined;

function requireDatabase(database: Database | null): Database {
  if (database === null) throw new Error("A gateway that sends its callers' keys on has no database");
  return database;
}

async function embedded(
  database: Database,
  keys: DeriveKey,
  config: Config,
  surroundings: Surroundings,
): Promise<Backend> {
  if (config.demo) await makeDemo(database, config, surroundings);
  const { logger, now, randomBytes, delivery: tuning = {} } = surroundings;
  const networks = withDeadlines(surroundings.networks);
  const vault = createVault(keys('webhook-secrets'), randomBytes);
  const allows = addressRule(config.outboundAllow);
  const delivery = startDelivery({
    database,
    location: config.database,
    vault,
    allows,
    retentionDays: config.deliveryRetentionDays,
    logger,
    now,
    randomBytes,
    tuning,
  });
  const cursors = cursorCodec(keys('rest-cursors'), 'base64');
  return {
    delivery,
    ports: {
      accounts: embeddedAccounts({ database, cursors }),
      jobs: embeddedJobs({ database, network: networks.pnet, cursors, now, randomBytes }),
      posts: embeddedPosts({ database, networks, cursors }),
      deliveries: embeddedDeliveries({ ...delivery, database, cursors, now }),
      webhooks: embeddedWebhooks({ database, cursors, vault, allows, now, randomBytes }),
    },
    authenticate: (apiKey) => authenticate(database, apiKey, now()),
    idempotency: databaseIdempotency(database, now),
    ready: () => ping(database),
    async close() {
      await delivery.close();
      await database.destroy();
    },
  };
}

/** @param database where callers' keys are kept; null where they are the upstream's */
function upstream(settings: UpstreamSettings, database: Database | null, { logger, now }: Surroundings): Backend {
  const service = openUpstream(settings, { logger, now });
  return {
    delivery: null,
    ports: {
      accounts: upstreamAccounts,
      jobs: upstreamJobs(service),
      posts: upstreamPosts(service),
      webhooks: upstreamWebhooks(service),
      deliveries: upstreamDeliveries,
    },
    authenticate: database === null ? acceptForwardedKey : (apiKey) => authenticate(database, apiKey, now()),
    // Callers with keys of ours share one key there: their idempotency keys would meet.
    ...(database === null ? {} : { idempotency: databaseIdempotency(database, now) }),
    async ready() {
      await Promise.all([service.ready(), database === null ? null : ping(database)]);
    },
    async close() {
      await service.close();
      await database?.destroy();
    },
  };
}

function openUpstream(settings: UpstreamSettings, surroundings: Pick<Surroundings, 'logger' | 'now'>): Upstream {
  const vocabularies = { ...commonVocabularies, ...jobVocabularies, ...postVocabularies, ...webhookVocabularies };
  try {
    return createUpstream(settings, vocabularies, surroundings);
  } catch (error) {
    throw new ConfigError(`UPSTREAM_NAMES ${(error as Error).message}`);
  }
}
