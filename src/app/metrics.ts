/** Composes what Prometheus reads: on the gateway's port, or on one of its own. */
import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { type ListenAddress, type Listening, listenAt, requireFree } from '../http/listening.ts';
import { pathIn, toOriginForm } from '../http/request-head.ts';
import type { Route } from '../http/router.ts';
import { sendBody } from '../http/send.ts';
import { ConfigError } from '../kernel/config-error.ts';
import { http } from '../kernel/lib/node-http.ts';
import { messageOf } from '../kernel/lib/to-error.ts';
import type { Scrape, Telemetry } from '../telemetry/telemetry.ts';
import type { Config } from './config/config.ts';

const metricsPath = '/metrics';

export function createMetricsEndpoint(
  { telemetry: { prometheus } }: Config,
  scrape: Telemetry['scrape'],
  logger: Logger,
) {
  const isOnMainPort = prometheus?.onMainPort === true;
  let own: Pick<Listening, 'address' | 'close'> | null = null;
  let address: string | null = null;
  return {
    routes: scrape !== null && isOnMainPort ? [routeOf(scrape)] : [],
    /** Null before it listens, and without one. */
    get address() {
      return address;
    },
    /** Before anything is created. @throws ConfigError if a port of its own cannot be listened on */
    async requireFree() {
      if (prometheus !== null && scrape !== null && !isOnMainPort)
        await requireFree(prometheus).catch((cause: unknown) => refuse(prometheus, cause));
    },
    /** @throws ConfigError as `requireFree` */
    async listen() {
      if (prometheus === null || scrape === null || isOnMainPort) return;
      own = await serveMetrics(scrape, prometheus, logger);
      address = own.address + metricsPath;
    },
    listening(origin: string) {
      if (isOnMainPort) address = `${origin}${metricsPath}`;
    },
    async close() {
      await own?.close();
    },
  };
}

const routeOf = (scrape: () => Promise<Scrape>): Route => ({
  method: 'GET',
  path: metricsPath,
  async serve(request) {
    const { contentType, body } = await scrape();
    sendBody(request, 200, contentType, body);
  },
});

async function serveMetrics(
  scrape: () => Promise<Scrape>,
  at: ListenAddress,
  logger: Logger,
): Promise<Pick<Listening, 'address' | 'close'>> {
  const server = http.createServer({ requestTimeout: 10_000 }, (request, response) => {
    toOriginForm(request);
    const { method, url = '' } = request;
    if (pathIn(url) !== metricsPath) response.writeHead(404).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else
      scrape().then(
        (scraped) => send(response, scraped),
        (err: unknown) => {
          logger.error({ err }, 'the metrics could not be read');
          response.writeHead(500).end();
        },
      );
  });
  const { address, close } = await listenAt(server, at).catch((cause: unknown) => refuse(at, cause));
  return {
    address,
    close() {
      const closed = close();
      server.closeAllConnections();
      return closed;
    },
  };
}

function refuse({ host, port }: ListenAddress, cause: unknown): never {
  throw new ConfigError(
    `Metrics cannot be served on METRICS_PORT ${host}:${port} (${messageOf(cause)}): set METRICS_PORT to another port, or stop the process that listens there.`,
    { cause },
  );
}

const send = (response: ServerResponse, { contentType, body }: Scrape): ServerResponse =>
  response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body);
