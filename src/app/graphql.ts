/** Composes GraphQL: its schema and documents, its doors, and its pages. */
import type { GraphQLSchema } from 'graphql';
import type { Admission } from '../auth/admission.ts';
import type { Streams } from '../auth/streams.ts';
import { createLoaders } from '../capabilities/loaders.ts';
import { type ServedSchema, servedSchema } from '../capabilities/schema.ts';
import { rememberedDocuments } from '../graphql/documents/known-documents.ts';
import { createPersistedQueries } from '../graphql/documents/persisted-queries.ts';
import { documentFinder } from '../graphql/documents/requested-document.ts';
import type { TrustedDocuments } from '../graphql/documents/trusted-documents.ts';
import { openDoors } from '../graphql/doors/doors.ts';
import { endpoint, socketProtocol } from '../graphql/endpoint.ts';
import type { ResponseCache } from '../graphql/response-cache.ts';
import { schemaRoutes } from '../graphql/schema/schema-document.ts';
import { graphqlRoutes } from '../graphql/server.ts';
import type { Compress } from '../http/compression.ts';
import type { HttpServer } from '../http/server.ts';
import { ConfigError } from '../kernel/config-error.ts';
import type { FairTurns } from '../kernel/lib/fair-turns.ts';
import { messageOf } from '../kernel/lib/to-error.ts';
import { cursorCodec } from '../kernel/paging.ts';
import type { Places } from '../kernel/places.ts';
import type { Ports } from '../kernel/ports.ts';
import type { Keys } from '../kernel/secrets/secret.ts';
import { isLoopback } from '../net/addresses.ts';
import { documentsOfPages } from '../pages/documents.ts';
import { createGraphiQL } from '../pages/graphiql/page.ts';
import { createSignIn, isOfDemoPage, type SignIn, signInToken } from '../pages/graphiql/sign-in.ts';
import { readDemoKey } from '../providers/sandbox/keys.ts';
import { noTelemetry } from '../telemetry/telemetry.ts';
import type { Backend, Dependencies } from './backends/backend.ts';
import type { Config } from './config/config.ts';

interface Documents extends ServedSchema {
  readonly trusted: TrustedDocuments | null;
}

interface GraphQLParts extends Admission {
  readonly documents: Documents;
  readonly backend: Backend;
  /** Ports of the backend, as they are called. */
  readonly ports: Ports;
  readonly streams: Streams;
  readonly turns: FairTurns;
  readonly places: Places;
  readonly responseCache: ResponseCache | null;
  readonly compress: Compress | null;
  readonly cursorKeys: Keys;
}

/** @throws ConfigError for a manifest with invalid documents */
export async function openDocuments(config: Config): Promise<Documents> {
  const served = await servedSchema(config);
  return { ...served, trusted: await trustedDocuments(config, served.schema) };
}

export async function addGraphQL(
  server: HttpServer,
  config: Config,
  parts: GraphQLParts,
  dependencies: Dependencies,
): Promise<SignIn | null> {
  const { documents, backend, ports, cursorKeys, ...others } = parts;
  const { schema, trusted, print } = documents;
  const { logger, telemetry = noTelemetry, plugins } = dependencies;
  const demoKey = await demoKeyFor(config);
  const persistedQueries = createPersistedQueries();
  const doors = openDoors({
    ...others,
    schema,
    ports,
    tracer: telemetry.tracer,
    logger,
    plugins,
    authenticate: backend.authenticate,
    createLoaders,
    storedResponses: backend.idempotency ?? null,
    cursors: cursorCodec(cursorKeys.current, 'base64url', cursorKeys.previous),
    documentOf: rememberedDocuments(
      {
        schema,
        introspection: config.introspection,
        compiling: config.compiledOperations ? ports : null,
      },
      { trusted: trusted?.parsed },
    ),
    persistedQueries,
    findDocument: documentFinder({
      persistedQueries,
      trusted,
      isExempt: demoKey === undefined ? undefined : isOfDemoPage(demoKey),
    }),
    maxCost: config.maxOperationCost,
    maxResponseBytes: config.maxResponseBytes,
    suggestions: config.introspection,
  });
  const signIn = demoKey === undefined ? null : demoSignIn(config, dependencies);
  const page = config.graphiql
    ? createGraphiQL(endpoint, {
        signIn,
        served: config,
        schema,
        introspection: config.introspection,
      })
    : null;
  server.add(graphqlRoutes({ doors, page }));
  server.addSocket({ path: endpoint, protocol: socketProtocol, origins: config.corsOrigins }, doors.webSocket);
  if (config.introspection) server.add(schemaRoutes(print));
  return signIn;
}

/** For a developer's own machine only. */
async function demoKeyFor({ graphiql, host, production, demoKeyFile, upstream }: Config): Promise<string | undefined> {
  if (!graphiql || production || !isLoopback(host) || upstream !== null) return undefined;
  return readDemoKey(demoKeyFile);
}

function demoSignIn({ demoKeyFile }: Config, { now, randomBytes, siblings }: Dependencies): SignIn {
  const once = siblings?.signIn ?? { token: signInToken(randomBytes), claim: async () => true };
  return createSignIn({ demoKey: () => readDemoKey(demoKeyFile), now, ...once });
}

/** @throws ConfigError for a manifest with invalid documents */
async function trustedDocuments(config: Config, schema: GraphQLSchema): Promise<TrustedDocuments | null> {
  const { documents, introspection } = config;
  if (documents === null) return null;
  const ofPages = await documentsOfPages(config.setUp, config.webhooksPage);
  const { openTrustedDocuments } = await import('../graphql/documents/trusted-documents.ts');
  try {
    return openTrustedDocuments(documents, { schema, introspection, ofPages });
  } catch (error) {
    throw new ConfigError(`DOCUMENTS ${messageOf(error)}`);
  }
}
