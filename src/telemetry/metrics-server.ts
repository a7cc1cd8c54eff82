/** Prometheus's own port. */
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from '../kernel/config-error.ts';
import { http } from '../kernel/lib/node-http.ts';
import type { Scrape } from './telemetry.ts';

export const metricsPath = '/metrics';

export interface MetricsServer {
  /** @returns `http://127.0.0.1:9464/metrics`. @throws ConfigError if it cannot listen there */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  close(): Promise<void>;
}

export function createMetricsServer(scrape: () => Promise<Scrape>): MetricsServer {
  const server = http.createServer({ requestTimeout: 10_000 }, ({ method, url = '' }, response) => {
    if (url.split('?', 1)[0] !== metricsPath) response.writeHead(404).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
    else
      scrape().then(
        (scraped) => send(response, scraped),
        () => response.writeHead(500).end(),
      );
  });
  return {
    async listen({ host, port }) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', (cause) => reject(new ConfigError(listenFailure(host, port, cause), { cause })));
        server.listen(port, host, resolve);
      });
      // A string only for a pipe, null only before listening.
      const { address, family, port: actual } = server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}${metricsPath}`;
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const listenFailure = (host: string, port: number, { message }: Error): string =>
  `Metrics cannot be served on METRICS_PORT ${port} of METRICS_HOST ${host} (${message}): set METRICS_PORT to another port, or stop the process that listens there.`;

const send = (response: ServerResponse, { contentType, body }: Scrape): ServerResponse =>
  response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body);
