/** The composition root: chooses the backend, mounts the faces, stops everything in order. */

import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { connectAccount, type NewAccount } from '../auth/account-repository.ts';
import { type AdmissionLimits, admission } from '../auth/admission.ts';
import { memoryRateLimits } from '../auth/memory-rate-limits.ts';
import { rateLimits } from '../auth/rate-limits.ts';
import { createStreams } from '../auth/streams.ts';
import type { ResponseCacheSettings } from '../cache/response-store.ts';
import type { DeliveryRateLimits } from '../capabilities/deliveries/limits.ts';
import { endpoint } from '../graphql/endpoint.ts';
import { createResponseCache } from '../graphql/response-cache.ts';
import { schemaPath } from '../graphql/schema/schema-document.ts';
import { createCompression } from '../http/compression.ts';
import { corsFor } from '../http/cors.ts';
import { requireFree } from '../http/listening.ts';
import { observeRequests } from '../http/observed-requests.ts';
import { createHttpServer } from '../http/server.ts';
import type { Caller } from '../kernel/caller.ts';
import { closeAll } from '../kernel/lib/close-all.ts';
import { createFairTurns } from '../kernel/lib/fair-turns.ts';
import { once } from '../kernel/lib/once.ts';
import { createPlaces, placeLimits } from '../kernel/places.ts';
import { portsInTurns } from '../kernel/ports.ts';
import { type Keyring, keyringOf } from '../kernel/secrets/secret.ts';
import { vaultOf } from '../kernel/secrets/vault.ts';
import { serves } from '../kernel/set-up.ts';
import { createTroubles } from '../kernel/troubles.ts';
import { inBlocks } from '../net/addresses.ts';
import { jobsAndPostsRoutes, webhooksPageRoutes } from '../pages/client-page.ts';
import { docsRoutes } from '../pages/docs/page.ts';
import { startRoutes } from '../pages/docs/start.ts';
import { refusalOfUnknown } from '../pages/docs/unknown.ts';
import { prefixes } from '../rest/endpoints.ts';
import { restRoutes } from '../rest/server.ts';
import { noTelemetry } from '../telemetry/telemetry.ts';
import { tracedPorts } from '../telemetry/traced-ports.ts';
import type { Backend, Dependencies } from './backends/backend.ts';
import type { Sealing, Storage } from './backends/storage.ts';
import type { Config } from './config/config.ts';
import { createMetricsEndpoint } from './metrics.ts';
import { sandboxIdentifiers, sandboxPictureRoutes } from './sandbox.ts';

export type { Dependencies } from './backends/backend.ts';

/** Milliseconds in which the request of a new connection arrives. */
const arrivingMs = 250;

/** Milliseconds in which connections that are in use end with a response. A client may send on one that ends without. */
const leavingMs = 1_000;

type Closers = (() => unknown)[];

export type App = Awaited<ReturnType<typeof createApp>>;

/** Does not listen yet. @throws ConfigError for a value that only its reader can check; DatabaseUnavailable */
export async function createApp(config: Config, dependencies: Dependencies) {
  const closers: Closers = [];
  try {
    return await compose(config, dependencies, closers);
  } catch (error) {
    // What is open would keep the process alive, and send deliveries.
    await closeAll(closers).catch((err: unknown) => dependencies.logger.error({ err }, 'could not stop cleanly'));
    throw error;
  }
}

/** @param closers in the order of their opening, for {@link closeAll} */
async function compose(config: Config, given: Dependencies, closers: Closers) {
  const troubles = createTroubles(given.logger);
  const dependencies = { ...given, troubles };
  const { logger, secrets, telemetry = noTelemetry, now, randomBytes, siblings } = dependencies;
  const keyring = keyringOf(secrets);
  // Closed last: they tell how the gateway drains.
  const scrape = telemetry.scrape && (siblings?.scrapeAll(telemetry.scrape) ?? telemetry.scrape);
  const metrics = createMetricsEndpoint(config, scrape, logger);
  closers.push(metrics.close);
  // Before a database is created, migrated, or waited for. Where others serve the port, the trial would get their connections.
  if (given.willListen && siblings?.isFirst !== false) await Promise.all([requireFree(config), metrics.requireFree()]);
  const opening = openStorageOf(config, keyring, dependencies).then((opened) => {
    if (opened !== null) closers.push(opened.close);
    return opened;
  });
  const [storage, { addGraphQL, openDocuments }] = await Promise.all([opening, loadGraphQL()]);
  const documents = await openDocuments(config);
  const grants = storage?.rateLimits ?? siblings?.rateLimits ?? memoryRateLimits();
  const limits = rateLimits(config.rateLimits, { store: grants, now, logger, troubles });
  closers.push(limits.close);
  const backend = await openBackend(config, storage, { secrets, keyring }, { ...dependencies, limits });
  closers.push(backend.close);
  const streams = createStreams({
    limits: config.streams,
    now,
    logger,
    troubles,
    refusedKeys: storage?.refusedKeys ?? null,
  });
  telemetry.metrics?.observe('postern.streams', () => [[streams.count('subscription'), {}]]);
  telemetry.metrics?.observe('postern.websockets', () => [[streams.count('socket'), {}]]);
  const admitting = admission(backend.authenticate, limits);
  const responses =
    config.responseCache === null ? null : await openResponses(config.responseCache, backend, dependencies);
  if (responses !== null) closers.push(responses.store.close);
  const traced = telemetry.tracer === null ? backend.ports : tracedPorts(backend.ports, telemetry.tracer);
  const ports = portsInTurns(responses === null ? traced : { ...traced, invalidate: responses.invalidate });
  const turns = createFairTurns();
  const compress = config.compression ? createCompression() : null;
  const draining = new AbortController();
  let delayMs = 0;
  const server = createHttpServer({
    logger,
    ready: backend.ready,
    remarks: () => ({ ...remarksOn(backend), ...siblings?.remarks() }),
    draining,
    keepAliveMs: config.keepAliveMs,
    isTrustedProxy: inBlocks(config.trustProxy),
    turns,
    cors: config.corsOrigins.length === 0 ? null : corsFor({ origins: config.corsOrigins, covers: isOfFace }),
    observer: observeRequests(telemetry),
    refuseUnknown: refusalOfUnknown(config, isOfFace),
  });
  const places = createPlaces(placeLimits[config.setUp], streams.ended);
  const shared = { ...admitting, backend, ports, turns, places, compress };
  const responseCache = responses?.cache ?? null;
  const ofGraphQL = { ...shared, documents, streams, responseCache, cursorKeys: keyring('graphql-cursors') };
  const signIn = await addGraphQL(server, config, ofGraphQL, dependencies);
  const hasDemo = config.demo && config.upstream === null;
  if (config.webhooksPage) {
    server.add(webhooksPageRoutes(config));
    const suggestions = hasDemo ? sandboxIdentifiers : {};
    server.add(jobsAndPostsRoutes({ ...config, hasJobs: serves(config.setUp, 'postings'), suggestions }));
  }
  if (config.sandboxPictures !== null) server.add(sandboxPictureRoutes);
  server.add(docsRoutes(config));
  server.add(startRoutes(documents.schema, config, hasDemo));
  server.add(restRoutes({ ...backend, ports, admit: admitting.admit, turns, places, compress }));
  if (backend.intake !== null) server.add(backend.intake.routes);
  server.add(metrics.routes);
  // Attempts that have begun end beside the requests, which may take as long.
  closers.push(() => Promise.all([server.close(), backend.delivery?.worker.close()]));
  closers.push(async () => {
    draining.abort();
    if (delayMs > 0) {
      await sleep(delayMs);
      // A connection that has just been accepted has its request under way.
      server.leave();
      await sleep(arrivingMs);
    }
    // Subscriptions would never end by themselves. Last, so that their clients do not come back here.
    streams.end();
    backend.delivery?.notifications.end();
  });
  return {
    server,
    schema: documents.schema,
    /** Rejects while the gateway is not ready. */
    ready: backend.ready,
    ports: backend.ports,
    /** @throws ServiceError as the function of the same name; Error where a service connects accounts */
    async connectAccount(account: NewAccount) {
      if (config.upstream !== null) throw new Error('The service at UPSTREAM_URL connects accounts, not the gateway');
      const { accounts } = requireStorage(storage).databases;
      return connectAccount(accounts, account, { vault: vaultOf(keyring, randomBytes), now: now(), randomBytes });
    },
    /** @throws Error without a database, where callers' API keys are forwarded */
    get database() {
      return requireStorage(storage).databases.deliveries;
    },
    delivery: backend.delivery,
    /** Token of the link to GraphiQL with the demo key: `/graphql?token=…`; null without one. */
    signInToken: signIn?.token ?? null,
    streams,
    get metricsAddress() {
      return metrics.address;
    },
    /** @returns `http://127.0.0.1:4000` */
    async listen() {
      await metrics.listen();
      const origin = await server.listen({ host: config.host, port: config.port });
      metrics.listening(origin);
      delayMs = config.shutdownDelayMs;
      return origin;
    },
    /** Other processes have the address: takes no new connection, and lets clients go to them at once. */
    leave() {
      server.leave();
      delayMs = leavingMs;
    },
    /** Serves on, unready, for the configured time, lets requests in flight finish for a limited time, and closes all. Idempotent. */
    close: once(() => closeAll(closers)),
  };
}

/** What the gateway is ready without. */
function remarksOn({ delivery, intake, isServiceAway }: Backend): object {
  const unstored = delivery?.worker.unstored ?? 0;
  const missing = intake?.registrations().flatMap(({ event, state }) => (state === 'active' ? [] : event)) ?? [];
  return {
    ...(unstored === 0 ? {} : { unstored_attempts: unstored }),
    ...(isServiceAway?.() ? { service: 'unreachable' } : {}),
    ...(missing.length === 0 ? {} : { events_not_sent_by_service: missing }),
  };
}

function requireStorage(storage: Storage | null): Storage {
  if (storage === null) throw new Error("A gateway that forwards its callers' API keys has no database");
  return storage;
}

async function openStorageOf(config: Config, keyring: Keyring, dependencies: Dependencies): Promise<Storage | null> {
  const { needsDatabase, database, responseCache } = config;
  if (!needsDatabase) return null;
  const { openStorage } = await import('./backends/storage.ts');
  return openStorage(database, {
    ...dependencies,
    tokenKeys: keyring('access-tokens'),
    isCachingInMemory: responseCache?.kind === 'memory',
  });
}

async function openBackend(
  config: Config,
  storage: Storage | null,
  sealing: Sealing,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits & AdmissionLimits },
): Promise<Backend> {
  if (config.upstream !== null) {
    const { upstreamBackend } = await import('./backends/upstream-backend.ts');
    if (storage !== null && config.intake !== null) {
      const { frontingBackend } = await import('./backends/fronting-backend.ts');
      return frontingBackend(config.upstream, config.intake, storage, sealing, config, dependencies);
    }
    if (storage !== null) await storage.useSecret(sealing);
    return upstreamBackend(config.upstream, storage, dependencies);
  }
  const { embeddedBackend } = await import('./backends/embedded-backend.ts');
  return embeddedBackend(requireStorage(storage), sealing, config, dependencies);
}

/** Builds the schema, a turn later: the threads of the database start meanwhile. */
async function loadGraphQL() {
  await turn();
  return import('./graphql.ts');
}

/** Whether a path is of GraphQL or REST. Pages' files and the demo key are for their own origin only; GraphiQL's page holds nothing. */
const isOfFace = (path: string): boolean =>
  [endpoint, schemaPath].includes(path.replace(/\/$/, '')) || prefixes.some((prefix) => path.startsWith(`${prefix}/`));

async function openResponses(
  settings: ResponseCacheSettings,
  { tenantOf }: Backend,
  { randomBytes, logger }: Dependencies,
) {
  const store =
    settings.kind === 'memory'
      ? (await import('../cache/memory-store.ts')).createMemoryStore(settings)
      : (await import('../cache/redis-store.ts')).createRedisStore({ ...settings, randomBytes, logger });
  return {
    store,
    cache: createResponseCache({ store, tenantOf, maxAge: settings.maxAge }),
    invalidate: (caller: Caller) => store.invalidate(tenantOf(caller)),
  };
}
