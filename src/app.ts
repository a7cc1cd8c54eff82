/** The composition root: chooses the backend, mounts the faces, and stops everything in order. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { admission } from './auth/admission.ts';
import { rateLimits } from './auth/rate-limits.ts';
import { createStreams, type Streams } from './auth/streams.ts';
import type { Backend, Dependencies } from './backends/backend.ts';
import type { Sealing, Storage } from './backends/storage.ts';
import type { Config } from './config/config.ts';
import type { DeliveryRateLimits } from './deliveries/limits.ts';
import type { DeliveryEngine } from './delivery/engine.ts';
import { compiledOperations } from './graphql/compiled/serve.ts';
import { rememberedDocuments } from './graphql/cost/documents.ts';
import { createSignIn, isLoopback, type SignIn } from './graphql/graphiql/sign-in.ts';
import { mountGraphQL } from './graphql/server.ts';
import { createDraining } from './http/draining.ts';
import { createHttpServer } from './http/server.ts';
import { once } from './once.ts';
import { cursorCodec } from './paging.ts';
import type { Ports } from './ports.ts';
import { readDemoKey } from './providers/sandbox/demo-key.ts';
import { mountRest, toAllowedErrorAt } from './rest/server.ts';
import { inBlocks } from './security/addresses.ts';
import { findSecrets, keyringOf } from './security/secret.ts';
import type { Database } from './store/database.ts';

export type { Dependencies } from './backends/backend.ts';

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
  /**
   * Says that it is not ready, and serves on for the time that the configuration gives to those who send requests here.
   * Then it takes no more, lets those in flight finish, and closes everything that {@link createApp} opened. Closing twice
   * does nothing.
   */
  close(): Promise<void>;
}

/**
 * Builds a gateway that does not listen yet.
 * @throws ConfigError for a value that only its reader can check; DatabaseUnavailable when the database cannot be opened
 */
export async function createApp(config: Config, dependencies: Dependencies): Promise<App> {
  const { logger, randomBytes } = dependencies;
  const secrets = await findSecrets(config, randomBytes);
  const keyring = keyringOf(secrets);
  const { now } = dependencies;
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
  const executing = {
    ports: backend.ports,
    admit,
    cursors: cursorCodec(cursorKeys.current, 'base64url', cursorKeys.previous),
    documentOf: rememberedDocuments(),
    limits: {
      maxCost: config.maxOperationCost,
      maxResponseBytes: config.maxResponseBytes,
      introspection: config.introspection,
    },
  };
  // Only an upstream's lists come as bytes.
  const isCompiled = config.compiledOperations && config.upstream !== null;
  const compiled = isCompiled ? compiledOperations({ ...executing, ...executing.limits, logger }) : null;
  const draining = createDraining();
  const server = createHttpServer({
    logger,
    ready: backend.ready,
    draining,
    isTrustedProxy: inBlocks(config.trustProxy),
    shortCut: compiled?.shortCut,
    adjust: toAllowedErrorAt,
  });
  const signIn = await demoSignIn(config, dependencies);
  const graphiql = config.graphiql ? { signIn } : null;
  mountGraphQL(server, { ...executing, admitKeyless, streams, graphiql, compiled });
  mountRest(server, { ...backend, admit });
  return {
    server,
    ports: backend.ports,
    get database() {
      return requireStorage(storage).databases.deliveries;
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
    close: once(async () => {
      draining.start();
      if (server.server.listening) await sleep(config.shutdownDelayMs);
      // The server waits for every response, and subscriptions would never end by themselves. They end last, so that their
      // clients do not come back here.
      streams.end();
      backend.delivery?.notifications.end();
      await server.close();
      await backend.close();
    }),
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

/** A gateway that forwards its callers' API keys stores nothing, so that any number of replicas can run. */
const needsDatabase = ({ upstream }: Config): boolean => upstream === null || upstream.apiKey !== undefined;

function requireStorage(storage: Storage | null): Storage {
  if (storage === null) throw new Error("A gateway that forwards its callers' API keys has no database");
  return storage;
}

async function openStorageOf({ database }: Config, dependencies: Dependencies): Promise<Storage> {
  const { openStorage } = await import('./backends/storage.ts');
  return openStorage(database, dependencies);
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
