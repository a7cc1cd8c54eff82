/** The composition root: chooses the backend, mounts the faces, and stops everything in order. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { embeddedAccounts } from './accounts/embedded.ts';
import { upstreamAccounts } from './accounts/upstream.ts';
import { admission } from './auth/admission.ts';
import { authenticate, findRefusedKeys } from './auth/api-keys.ts';
import type { Authenticate } from './auth/caller.ts';
import { acceptForwardedKey } from './auth/forwarded-key.ts';
import { rateLimits } from './auth/rate-limits.ts';
import { createStreams, type Streams } from './auth/streams.ts';
import { type Config, ConfigError } from './config.ts';
import { embeddedDeliveries } from './deliveries/embedded.ts';
import type { DeliveryRateLimits } from './deliveries/limits.ts';
import { upstreamDeliveries } from './deliveries/upstream.ts';
import { type DeliveryEngine, type DeliveryTuning, startDeliveryEngine } from './delivery/engine.ts';
import { createSignIn, isLoopback, type SignIn } from './graphql/graphiql/sign-in.ts';
import { mountGraphQL } from './graphql/server.ts';
import type { Idempotency } from './http/idempotency.ts';
import { createHttpServer } from './http/server.ts';
import type { RandomBytes } from './ids.ts';
import { embeddedJobs } from './jobs/embedded.ts';
import { jobVocabularies } from './jobs/endpoints.ts';
import type { LeaseTuning } from './jobs/lease.ts';
import { upstreamJobs } from './jobs/upstream.ts';
import { cursorCodec } from './paging.ts';
import type { Ports } from './ports.ts';
import { embeddedPosts } from './posts/embedded.ts';
import { postVocabularies } from './posts/endpoints.ts';
import { upstreamPosts } from './posts/upstream.ts';
import type { Providers } from './providers/provider.ts';
import { ensureDemo, readDemoKey } from './providers/sandbox/demo.ts';
import { refuseSandboxKey } from './providers/sandbox/keys.ts';
import { withDeadlines } from './providers/with-deadlines.ts';
import { mountRest, toAllowedErrorAt } from './rest/server.ts';
import { addressRule, inBlocks } from './security/addresses.ts';
import { type DeriveKey, deriveKeys, loadOrCreateSecret } from './security/secret.ts';
import { createVault } from './security/vault.ts';
import { type Database, openDatabase, ping } from './store/database.ts';
import { databaseIdempotency } from './store/idempotency.ts';
import { databaseRateLimits } from './store/rate-limits.ts';
import { createUpstream, type Upstream } from './upstream/client.ts';
import { handOverReads } from './upstream/hand-over.ts';
import { tellKeyFromAccount } from './upstream/key-or-account.ts';
import type { UpstreamSettings } from './upstream/settings.ts';
import { commonVocabularies } from './upstream/translation.ts';
import { createMissingSecrets } from './webhooks/destinations.ts';
import { embeddedWebhooks } from './webhooks/embedded.ts';
import { webhookEndpoints, webhookVocabularies } from './webhooks/endpoints.ts';
import { upstreamWebhooks } from './webhooks/upstream.ts';

/** What the process injects: everything that reaches outside the program, so that tests can replace it. */
export interface Dependencies {
  readonly logger: Logger;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly providers: Providers;
  /** The timing of deliveries. Only tests set it. */
  readonly delivery?: DeliveryTuning;
  /** The timing of the leases on jobs. Only tests set it. */
  readonly leases?: LeaseTuning;
}

/** An implementation of the ports, and what the server needs with it. */
interface Backend {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  /** Implements `Idempotency-Key`. Without it the key is forwarded through the ports. */
  readonly idempotency?: Idempotency;
  readonly delivery: DeliveryEngine | null;
  /** Rejects while the backend cannot serve requests. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface App {
  readonly server: FastifyInstance;
  readonly ports: Ports;
  /** @throws Error in a gateway that forwards its callers' API keys: it has no database */
  readonly database: Database;
  /** The token of the link to GraphiQL with the demo key: `/graphql?token=…`; null if GraphiQL gets no key. */
  readonly signInToken: string | null;
  /** Starts to listen. Returns the address, such as `http://127.0.0.1:4000`. */
  listen(): Promise<string>;
  /** Sends events to webhooks; null where the upstream service does. */
  readonly delivery: DeliveryEngine | null;
  /** The subscriptions that are open. */
  readonly streams: Streams;
  /** Refuses new requests, lets those in flight finish, and closes everything that {@link createApp} opened. */
  close(): Promise<void>;
}

/**
 * Builds a gateway that does not listen yet.
 * @throws ConfigError for a value that only its reader can check; DatabaseUnavailable when the database cannot be opened
 */
export async function createApp(config: Config, dependencies: Dependencies): Promise<App> {
  const { logger, randomBytes } = dependencies;
  const deriveKey = deriveKeys(config.secret ?? (await loadOrCreateSecret(config.dataDirectory, randomBytes)));
  const database = needsDatabase(config) ? await openDatabase(config.database) : null;
  const limits = rateLimits(config.rateLimits, {
    store: database === null ? null : databaseRateLimits(database, config.database.kind),
    now: dependencies.now,
    logger,
  });
  const backend =
    config.upstream === null
      ? await embedded(requireDatabase(database), deriveKey, config, { ...dependencies, limits })
      : upstream(config.upstream, database, dependencies);
  const streams = createStreams({
    limits: config.streams,
    now: dependencies.now,
    logger,
    refusedKeys: database === null ? null : (keyIds, now) => findRefusedKeys(database, keyIds, now),
  });
  const server = createHttpServer({
    logger,
    ready: backend.ready,
    isTrustedProxy: inBlocks(config.trustProxy),
    adjust: toAllowedErrorAt,
  });
  const { admit, admitKeyless } = admission(backend.authenticate, limits);
  const signIn = await demoSignIn(config, dependencies);
  mountGraphQL(server, {
    ...backend,
    admit,
    admitKeyless,
    streams,
    cursors: cursorCodec(deriveKey('graphql-cursors'), 'base64url'),
    graphiql: config.graphiql ? { signIn } : null,
    compiles: config.compiledOperations && config.upstream !== null,
    limits: {
      maxCost: config.maxOperationCost,
      maxResponseBytes: config.maxResponseBytes,
      introspection: config.introspection,
    },
  });
  mountRest(server, { ...backend, admit });
  return {
    server,
    ports: backend.ports,
    get database() {
      return requireDatabase(database);
    },
    delivery: backend.delivery,
    signInToken: signIn?.token ?? null,
    streams,
    async listen() {
      await server.listen({ host: config.host, port: config.port });
      // The address is a string or null only for a pipe, or before the server listens.
      const { address, family, port } = server.server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    },
    async close() {
      // The server waits for every response, and subscriptions would never end by themselves.
      backend.delivery?.notifications.end();
      await server.close();
      streams.stop();
      await backend.close();
    },
  };
}

/** GraphiQL gets the demo key only on a developer's own machine. */
async function demoSignIn(
  { graphiql, host, production, dataDirectory, upstream }: Config,
  { now, randomBytes }: Dependencies,
): Promise<SignIn | null> {
  if (!graphiql || production || !isLoopback(host) || upstream !== null) return null;
  const demoKey = () => readDemoKey(dataDirectory);
  return (await demoKey()) === undefined ? null : createSignIn({ demoKey, now, randomBytes });
}

async function createDemo(
  database: Database,
  config: Config,
  { logger, now, randomBytes }: Dependencies,
): Promise<void> {
  const file = await ensureDemo(database, { directory: config.dataDirectory, now: now(), randomBytes });
  if (file !== null) logger.info(`The database was empty: created a demo workspace; its API key is in ${file}`);
}

/** A gateway that forwards its callers' API keys stores nothing, so that any number of replicas can run. */
const needsDatabase = ({ upstream }: Config): boolean => upstream === null || upstream.apiKey !== undefined;

function requireDatabase(database: Database | null): Database {
  if (database === null) throw new Error("A gateway that forwards its callers' API keys has no database");
  return database;
}

async function embedded(
  database: Database,
  deriveKey: DeriveKey,
  config: Config,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits },
): Promise<Backend> {
  if (config.demo) await createDemo(database, config, dependencies);
  const { logger, now, randomBytes, limits, delivery: tuning = {}, leases = {} } = dependencies;
  const providers = withDeadlines(dependencies.providers);
  const vault = createVault(deriveKey('webhook-secrets'), randomBytes);
  const allows = addressRule(config.outboundAllow);
  await createMissingSecrets(database, { vault, randomBytes });
  const delivery = startDeliveryEngine({
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
  const cursors = cursorCodec(deriveKey('rest-cursors'), 'base64');
  return {
    delivery,
    ports: {
      serviceJudges: false,
      accounts: embeddedAccounts({ database, cursors }),
      jobs: embeddedJobs({ database, network: providers.PNET, cursors, now, randomBytes, logger, tuning: leases }),
      posts: embeddedPosts({ database, providers, cursors }),
      deliveries: embeddedDeliveries({ ...delivery, database, cursors, limits, now }),
      webhooks: embeddedWebhooks({
        ...delivery,
        database,
        kind: config.database.kind,
        cursors,
        vault,
        allows,
        maxWebhooks: config.webhooksPerWorkspace,
        now,
        randomBytes,
      }),
    },
    async authenticate(apiKey) {
      if (config.demo) refuseSandboxKey(apiKey);
      return authenticate(database, apiKey, now());
    },
    idempotency: databaseIdempotency(database, now),
    ready: () => ping(database),
    async close() {
      await delivery.close();
      await database.destroy();
    },
  };
}

/** @param database stores the API keys of callers; null where the upstream service checks them */
function upstream(settings: UpstreamSettings, database: Database | null, { logger, now }: Dependencies): Backend {
  const judged = tellKeyFromAccount(openUpstream(settings, { logger, now }), (client, context) =>
    client.call(context, webhookEndpoints.list, { limit: 1 }),
  );
  // Outermost, so that what is handed over has been told apart already.
  const service = handOverReads(judged);
  return {
    delivery: null,
    ports: {
      serviceJudges: true,
      accounts: upstreamAccounts,
      jobs: upstreamJobs(service),
      posts: upstreamPosts(service),
      webhooks: upstreamWebhooks(service),
      deliveries: upstreamDeliveries,
    },
    authenticate: database === null ? acceptForwardedKey : (apiKey) => authenticate(database, apiKey, now()),
    // Callers with API keys of this gateway share one key of the service, so their idempotency keys would collide there.
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

function openUpstream(settings: UpstreamSettings, dependencies: Pick<Dependencies, 'logger' | 'now'>): Upstream {
  const vocabularies = { ...commonVocabularies, ...jobVocabularies, ...postVocabularies, ...webhookVocabularies };
  try {
    return createUpstream(settings, vocabularies, dependencies);
  } catch (error) {
    throw new ConfigError(`UPSTREAM_NAMES ${error instanceof Error ? error.message : error}`);
  }
}
