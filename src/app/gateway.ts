/** The gateway within a program: what `npm start` runs, and what `import … from 'postern'` is. */
import * as crypto from 'node:crypto';
import type { RequestListener } from 'node:http';
import { resolve } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { NewAccount } from '../auth/account-repository.ts';
import { endpoint } from '../graphql/endpoint.ts';
import { stopLimits } from '../http/connections.ts';
import { fetchFrom, type InMemoryFetch, listenerFor } from '../http/in-memory.ts';
import { ConfigError } from '../kernel/config-error.ts';
import type { RandomBytes } from '../kernel/ids.ts';
import { within } from '../kernel/lib/abort-signal.ts';
import { closeAll } from '../kernel/lib/close-all.ts';
import { once } from '../kernel/lib/once.ts';
import { openLog } from '../kernel/log.ts';
import { findSecrets } from '../kernel/secrets/secret.ts';
import { jobsAndPostsPage, webhooksPage } from '../pages/bar.ts';
import { type OwnNetworks, ownNetworks } from '../providers/own-networks.ts';
import { sandboxNetworks } from '../providers/sandbox/networks.ts';
import { withPictures } from '../providers/sandbox/pictures.ts';
import { openTelemetry } from '../telemetry/open.ts';
import { type App, createApp } from './app.ts';
import { type Config, readOptions } from './config/config.ts';
import type { VariableOptions } from './config/environment.ts';
import type { Siblings } from './processes/siblings.ts';

export type { AccountType } from '../auth/account.ts';
export type { NewAccount } from '../auth/account-repository.ts';
export type { PhotonetPost, PnetPost, Post } from '../capabilities/posts/shapes.ts';
export { type ErrorName, ServiceError, SessionFailure } from '../kernel/errors.ts';
export type {
  JobProvider,
  NetworkPage,
  NetworkPosting,
  PostProvider,
  PostQuery,
  ProviderSession,
  PublishStep,
} from '../providers/provider.ts';
export { optionsOf } from './config/environment.ts';
export { ConfigError };

/** Milliseconds for the rest of a stop, after those for requests. */
export const closeMs = 4_000;

/** Milliseconds of a whole stop. */
export const stopMs = ({ shutdownDelayMs }: Config): number => shutdownDelayMs + stopLimits.drainMs + closeMs;

/** Each environment variable in camel case (`databaseUrl`) but PROCESSES, and what is no text. */
export interface GatewayOptions extends VariableOptions {
  /** Default: JSON lines on standard output, without the secrets of the options. */
  readonly logger?: Logger | undefined;
  /** Networks by account type, in the places of simulated ones or beside them. Leaves out the demo workspace. */
  readonly networks?: OwnNetworks | undefined;
  /** Plugins of GraphQL Yoga. */
  readonly plugins?: readonly Plugin[] | undefined;
  /** Default: the clock of the machine. */
  readonly now?: (() => Date) | undefined;
  /** Default: that of node:crypto. */
  readonly randomBytes?: RandomBytes | undefined;
}

export interface Gateway {
  /** Serves a request without a socket, with all limits of one. `init.address` is that of the client, which limits count by. */
  readonly fetch: InMemoryFetch;
  /** Serves requests of another server of Node.js. Throws if the body has been read before. */
  readonly requestListener: RequestListener;
  /** Listens at `host` and `port`. @returns `http://127.0.0.1:4000` */
  listen(): Promise<string>;
  /** GraphQL schema of the set-up, for stitching: its resolvers need the gateway, so execute by `fetch`. */
  readonly schema: GraphQLSchema;
  /** Connects an account of a network, and creates its workspace if there is none of the name. @returns its id */
  connectAccount(account: NewAccount): Promise<string>;
  readonly logger: Logger;
  /** Path of GraphiQL with the demo key; works once, within an hour. Null without a demo key. */
  readonly signInPath: string | null;
  /** Rejects while a database or a service is away, as `/readyz`. */
  ready(): Promise<void>;
  /** Lets requests in flight finish, and closes all. Rejects after half a minute. */
  close(): Promise<void>;
}

/**
 * Opens the database, and migrates it. Listens to no port, no signal and no uncaught error.
 * @throws ConfigError for an option that is unknown or invalid: it names the variable; DatabaseUnavailable
 */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { logger, plugins, networks, now, randomBytes, ...variables } = options;
  // Accounts of the demo have sessions of simulated networks.
  const { demo = networks === undefined ? undefined : false } = variables;
  const settings = { ...variables, demo };
  return openGateway(readOptions(settings, process.env), { logger, plugins, networks, now, randomBytes });
}

interface Composition extends Pick<GatewayOptions, 'logger' | 'plugins' | 'networks' | 'now' | 'randomBytes'> {
  readonly siblings?: Siblings | undefined;
  /** As the dependency of the same name. */
  readonly willListen?: boolean;
}

/** As {@link createGateway}, for a process too, which can leave its address to others. */
export async function openGateway(
  config: Config,
  { now = () => new Date(), randomBytes = crypto.randomBytes, plugins = [], siblings, ...given }: Composition = {},
): Promise<Gateway & Pick<App, 'leave'>> {
  const own = given.networks === undefined ? {} : networksBeside(config, given.networks);
  const secrets = await findSecrets(config, randomBytes);
  const telemetry = await openTelemetry(config.telemetry, (fields, message) => logger.warn(fields, message));
  const logger = given.logger ?? openLog(config.logLevel, telemetry.tracer, [...config.secrets, secrets.current]);
  if (config.inVain.length > 0)
    logger.warn({ variables: config.inVain }, 'variables of earlier versions are set and have no effect');
  const providers = { ...withPictures(sandboxNetworks({ clock: now }), config.sandboxPictures), ...own };
  const { willListen = false } = given;
  const parts = { logger, secrets, telemetry, now, randomBytes, providers, plugins, siblings, willListen };
  const app = await createApp(config, parts).catch(async (error: unknown) => {
    await telemetry.close();
    throw error;
  });
  const { server, schema, connectAccount, signInToken, ready, leave } = app;
  const isFirst = siblings?.isFirst !== false;
  return {
    fetch: fetchFrom(server.server),
    requestListener: listenerFor(server.server, logger),
    async listen() {
      const address = await app.listen();
      await siblings?.serves();
      if (isFirst) for (const line of addressesOf(config, app, address)) logger.info(line);
      return address;
    },
    schema,
    connectAccount,
    logger,
    signInPath: signInToken === null || !isFirst ? null : `${endpoint}?token=${signInToken}`,
    ready,
    leave,
    close: once(() =>
      within(stopMs(config), closeAll([telemetry.close, app.close]), 'The gateway could not stop in time'),
    ),
  };
}

/** @throws ConfigError as {@link ownNetworks}, and for options that leave them no place */
function networksBeside({ upstream, demo }: Config, networks: OwnNetworks): OwnNetworks {
  if (upstream !== null)
    throw new ConfigError('networks has no effect with UPSTREAM_URL: the service there has the posts. Leave one out');
  if (demo) throw new ConfigError('DEMO=on needs simulated networks alone: leave out DEMO, or networks');
  return ownNetworks(networks);
}

/** Without the user and password. */
function placeOf(address: string): string {
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/** What a start tells. */
function* addressesOf(
  config: Config,
  { metricsAddress }: Pick<App, 'metricsAddress'>,
  address: string,
): Iterable<string> {
  const { needsDatabase, database, upstream, setUp, openings } = config;
  if (needsDatabase) yield `Database: ${database.kind === 'sqlite' ? resolve(database.file) : placeOf(database.url)}`;
  if (upstream !== null) yield `Service: ${upstream.origin} (${setUp})`;
  yield `GraphiQL and GraphQL: ${address}/graphql`;
  if (metricsAddress !== null) yield `Metrics: ${metricsAddress}`;
  if (config.webhooksPage) {
    yield `Webhooks: ${address}${webhooksPage}`;
    yield `Jobs and posts: ${address}${jobsAndPostsPage}`;
  }
  if (openings.length > 0) yield `NODE_ENV=development: ${openings.join(', and ')}`;
}
