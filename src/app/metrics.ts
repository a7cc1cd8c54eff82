/** Composes what Prometheus reads: on the gateway's port, or on one of its own. */

import type { Route } from '../http/router.ts';
import { sendBody } from '../http/send.ts';
import { createMetricsServer, metricsPath } from '../telemetry/metrics-server.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Config } from './config/config.ts';

interface MetricsEndpoint {
  /** Of the gateway's own server. */
  readonly routes: readonly Route[];
  /** Null before it listens, and without one. */
  readonly address: string | null;
  listen(): Promise<void>;
  /** @param origin of the gateway */
  listening(origin: string): void;
  close(): Promise<void>;
}

export function createMetricsEndpoint(
  { telemetry: { prometheus } }: Config,
  scrape: Telemetry['scrape'],
): MetricsEndpoint {
  const isOnMainPort = prometheus?.onMainPort === true;
  const own = scrape === null || isOnMainPort ? null : createMetricsServer(scrape);
  let address: string | null = null;
  return {
    routes: scrape !== null && isOnMainPort ? [routeOf(scrape)] : [],
    get address() {
      return address;
    },
    async listen() {
      if (prometheus !== null) address = (await own?.listen(prometheus)) ?? null;
    },
    listening(origin) {
      if (isOnMainPort) address = `${origin}${metricsPath}`;
    },
    async close() {
      await own?.close();
    },
  };
}

const routeOf = (scrape: NonNullable<Telemetry['scrape']>): Route => ({
  method: 'GET',
  path: metricsPath,
  async serve(request) {
    const { contentType, body } = await scrape();
    sendBody(request, 200, contentType, body);
  },
});
