/** The composition root: chooses the backend, mounts the faces, and stops everything in order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import { admission } from '../auth/admission.ts';
import { rateLimits } from '../auth/rate-limits.ts';
import { createStreams, type Streams } from '../auth/streams.ts';
import { invalidatingPorts } from '../cache/invalidating-ports.ts';
import type { ResponseCacheSettings } from '../cache/settings.ts';
import type { DeliveryRateLimits } from '../capabilities/deliveries/limits.ts';
import { createLoaders } from '../capabilities/loaders.ts';
import { servedSchema } from '../capabilities/served-schema.ts';
import type { DeliveryEngine } from '../delivery/engine.ts';
import { rememberedDocuments } from '../graphql/documents/documents.ts';
import { createPersistedQueries } from '../graphql/documents/persisted-queries.ts';
import { documentFinder } from '../graphql/documents/requested-document.ts';
import type { TrustedDocuments } from '../graphql/documents/trusted-documents.ts';
import { openDoors } from '../graphql/doors/doors.ts';
import { endpoint } from '../graphql/endpoint.ts';
import { preparedIntrospection } from '../graphql/executors/introspection.ts';
import { createResponseCache } from '../graphql/response-cache.ts';
import { schemaPath, schemaRoutes } from '../graphql/schema/schema-document.ts';
import { createGraphQL } from '../graphql/server.ts';
import { createCompression } from '../http/compression.ts';
import { corsFor } from '../http/cors.ts';
import { createDraining } from '../http/draining.ts';
import { observeRequests } from '../http/observed-requests.ts';
import { sendBody } from '../http/send.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import type { Caller } from '../kernel/caller.ts';
import { ConfigError } from '../kernel/config-error.ts';
import { once } from '../kernel/lib/once.ts';
import { cursorCodec } from '../kernel/paging.ts';
import type { Ports } from '../kernel/ports.ts';
import { findSecrets, keyringOf } from '../kernel/secrets/secret.ts';
import { inBlocks } from '../net/addresses.ts';
import { createGraphiQL } from '../pages/graphiql/page.ts';
import { createSignIn, isLoopback, isOfDemoPage, type SignIn } from '../pages/graphiql/sign-in.ts';
import { documentsOfPage, webhooksPage, webhooksPageRoutes } from '../pages/webhooks/page.ts';
import { readDemoKey } from '../providers/sandbox/demo-key.ts';
import { prefixes } from '../rest/endpoints.ts';
import { restRoutes } from '../rest/server.ts';
import type { Database } from '../store/database.ts';
import { createMetricsServer, metricsPath } from '../telemetry/metrics-server.ts';
import { noTelemetry } from '../telemetry/telemetry.ts';
import { tracedPorts } from '../telemetry/traced-ports.ts';
import type { Backend, Dependencies } from './backends/backend.ts';
import type { Sealing, Storage } from './backends/storage.ts';
import type { Config } from './config/config.ts';
import { messageOf } from './config/values.ts';

export type { Dependencies } from './backends/backend.ts';

export interface App {
  readonly server: HttpServer;
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
  /** Where Prometheus reads metrics, once the gateway listens; null where they are not served. */
  readonly metricsAddress: string | null;
  /**
   * Says that it is not ready, and serves on for the time that the configuration gives to those who send requests here.
   * Then it takes no more, lets those in flight finish, and closes everything that {@link createApp} opened. Closing twice
   * does nothing.
   */
  close(): Promise<void>;
}

/** When modules are loaded that no request has asked for, in milliseconds from the start. */
const warmUpMs = 1_000;

/**
 * Builds a gateway that does not listen yet.
 * @throws ConfigError for a value that only its reader can check; DatabaseUnavailable when the database cannot be opened
 */
export async function createApp(config: Config, dependencies: Dependencies): Promise<App> {
  const { logger, randomBytes, telemetry = noTelemetry } = dependencies;
  const { metrics, tracer, scrape } = telemetry;
  const secrets = await findSecrets(config, randomBytes);
  const keyring = keyringOf(secrets);
  const { now } = dependencies;
  // It shows what only our own delivery engine knows.
  const hasWebhooksPage = config.webhooksPage && config.upstream === null;
  // Before anything is open that would keep the process of a start that fails.
  const { schema, print } = await servedSchema(config);
  const trusted = await trustedDocuments(config, schema, hasWebhooksPage);
  // Each is loaded where it is needed only, as loading takes most of the start.
  const storage = needsDatabase(config) ? await openStorageOf(config, dependencies) : null;
  const limits = rateLimits(config.rateLimits, { store: storage?.rateLimits ?? null, now, logger });
  const backend = await openBackend(config, storage, { secrets, keyring }, { ...dependencies, limits }).catch(
    async (error: unknown) => {
      // Its connections would keep the process from ending.
      await storage?.close();
      throw error;
    },
  );
  const cursorKeys = keyring('graphql-cursors');
  const streams = createStreams({
    limits: config.streams,
    now,
    logger,
    refusedKeys: storage?.refusedKeys ?? null,
  });
  const { admit, admitKeyless } = admission(backend.authenticate, limits);
  metrics?.observe('postern.streams', () => [[streams.size, {}]]);
  const responses =
    config.responseCache === null ? null : await openResponses(config.responseCache, backend, dependencies);
  const traced = tracer === null ? backend.ports : tracedPorts(backend.ports, tracer);
  const ports = responses === null ? traced : invalidatingPorts(traced, responses.invalidate);
  const demoKey = await demoKeyFor(config);
  const persistedQueries = createPersistedQueries();
  const compress = config.compression ? createCompression() : null;
  const doors = openDoors({
    schema,
    ports,
    tracer,
    logger,
    admit,
    admitKeyless,
    streams,
    createLoaders,
    cursors: cursorCodec(cursorKeys.current, 'base64url', cursorKeys.previous),
    documentOf: rememberedDocuments(
      {
        schema,
        introspect: config.introspection ? preparedIntrospection(schema) : null,
        // Only an upstream's lists come as bytes, which are compiled.
        compiling: config.compiledOperations && config.upstream !== null ? ports : null,
      },
      trusted === null ? {} : { trusted: trusted.parsed },
    ),
    compress,
    responseCache: responses?.cache ?? null,
    persistedQueries,
    findDocument: documentFinder({
      persistedQueries,
      trusted,
      ...(demoKey === undefined ? {} : { isExempt: isOfDemoPage(demoKey) }),
    }),
    maxCost: config.maxOperationCost,
    maxResponseBytes: config.maxResponseBytes,
    suggestions: config.introspection,
  });
  const draining = createDraining();
  const server = createHttpServer({
    logger,
    ready: backend.ready,
    draining,
    isTrustedProxy: inBlocks(config.trustProxy),
    cors: config.corsOrigins.length === 0 ? null : corsFor({ origins: config.corsOrigins, covers: isOfFace }),
    observer: observeRequests(telemetry),
  });
  const signIn = demoKey === undefined ? null : demoSignIn(config, dependencies);
  const page = config.graphiql
    ? createGraphiQL(endpoint, {
        signIn,
        webhooksPage: hasWebhooksPage ? webhooksPage : null,
        schema: config.introspection ? schema : null,
      })
    : null;
  const graphql = createGraphQL({ doors, page });
  server.add(graphql.routes);
  if (config.introspection) server.add(schemaRoutes(print));
  if (hasWebhooksPage) server.add(webhooksPageRoutes(config.graphiql));
  server.add(restRoutes({ ...backend, ports, admit, compress }));
  const { prometheus } = config.telemetry;
  const metricsServer = scrape === null || prometheus?.onMainPort ? null : createMetricsServer(scrape);
  let metricsAddress: string | null = null;
  if (scrape !== null && prometheus?.onMainPort) {
    server.add([
      {
        method: 'GET',
        path: metricsPath,
        async serve(request) {
          const { contentType, body } = await scrape();
          sendBody(request, 200, contentType, body);
        },
      },
    ]);
  }
  return {
    server,
    ports: backend.ports,
    get database() {
      return requireStorage(storage).databases.deliveries;
    },
    delivery: backend.delivery,
    signInToken: signIn?.token ?? null,
    streams,
    get metricsAddress() {
      return metricsAddress;
    },
    async listen() {
      if (prometheus !== null) metricsAddress = (await metricsServer?.listen(prometheus)) ?? null;
      const origin = await server.listen({ host: config.host, port: config.port });
      const warmUp = () => {
        graphql
          .warmUp()
          .catch((error: unknown) => logger.warn({ err: error }, 'a part of the gateway could not be loaded'));
      };
      setTimeout(warmUp, warmUpMs).unref();
      if (prometheus?.onMainPort) metricsAddress = `${origin}${metricsPath}`;
      return origin;
    },
    close: once(async () => {
      draining.start();
      if (server.server.listening) await sleep(config.shutdownDelayMs);
      // The server waits for every response, and subscriptions would never end by themselves. They end last, so that their
      // clients do not come back here.
      streams.end();
      backend.delivery?.notifications.end();
      await server.close();
      await responses?.store.close();
      await backend.close();
      // Last: it tells how the gateway drains.
      await metricsServer?.close();
    }),
  };
}

/**
 * Whether a path is one of GraphQL or REST. The files of the pages and the demo key are for their own origin only; the page of
 * GraphiQL itself, which has the path of GraphQL, holds nothing.
 */
const isOfFace = (path: string): boolean =>
  [endpoint, schemaPath].includes(path.replace(/\/$/, '')) || prefixes.some((prefix) => path.startsWith(`${prefix}/`));

/** GraphiQL gets the demo key only on a developer's own machine. Undefined elsewhere, and where there is none. */
async function demoKeyFor({
  graphiql,
  host,
  production,
  dataDirectory,
  upstream,
}: Config): Promise<string | undefined> {
  if (!graphiql || production || !isLoopback(host) || upstream !== null) return undefined;
  return readDemoKey(dataDirectory);
}

const demoSignIn = ({ dataDirectory }: Config, { now, randomBytes }: Dependencies): SignIn =>
  createSignIn({ demoKey: () => readDemoKey(dataDirectory), now, randomBytes });

/** @throws ConfigError for a manifest with documents that are not executed */
async function trustedDocuments(
  { documents, introspection }: Config,
  schema: GraphQLSchema,
  hasWebhooksPage: boolean,
): Promise<TrustedDocuments | null> {
  if (documents === null) return null;
  const ofPages = hasWebhooksPage ? await documentsOfPage() : [];
  const { openTrustedDocuments } = await import('../graphql/documents/trusted-documents.ts');
  try {
    return openTrustedDocuments(documents, { schema, introspection, ofPages });
  } catch (error) {
    throw new ConfigError(`DOCUMENTS ${messageOf(error)}`);
  }
}

/** A gateway that forwards its callers' API keys stores nothing, so that any number of replicas can run. */
const needsDatabase = ({ upstream }: Config): boolean => upstream === null || upstream.apiKey !== undefined;

function requireStorage(storage: Storage | null): Storage {
  if (storage === null) throw new Error("A gateway that forwards its callers' API keys has no database");
  return storage;
}

/** The response cache, and what invalidates it. Loaded only where there is one. */
async function openResponses(settings: ResponseCacheSettings, { tenantOf }: Backend, dependencies: Dependencies) {
  const { openResponseStore } = await import('../cache/open-store.ts');
  const store = await openResponseStore(settings, dependencies);
  return {
    store,
    cache: createResponseCache({ store, tenantOf, maxAge: settings.maxAge }),
    invalidate: (caller: Caller) => store.invalidate(tenantOf(caller)),
  };
}

async function openStorageOf({ database, responseCache }: Config, dependencies: Dependencies): Promise<Storage> {
  const { openStorage } = await import('./backends/storage.ts');
  return openStorage(database, { ...dependencies, isCachingInMemory: responseCache?.kind === 'memory' });
}

async function openBackend(
  config: Config,
  storage: Storage | null,
  sealing: Sealing,
  dependencies: Dependencies & { readonly limits: DeliveryRateLimits },
): Promise<Backend> {
  if (config.upstream !== null) {
    const { upstreamBackend } = await import('./backends/upstream-backend.ts');
    if (storage !== null) await storage.useSecret(sealing);
    return upstreamBackend(config.upstream, storage, dependencies);
  }
  const { embeddedBackend } = await import('./backends/embedded-backend.ts');
  return embeddedBackend(requireStorage(storage), sealing, config, dependencies);
}
