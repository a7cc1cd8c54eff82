/** Composes what Prometheus reads: on the gateway's port, or on one of its own. */
import { sendBody } from '../http/send.ts';
import type { HttpServer } from '../http/server.ts';
import { createMetricsServer, metricsPath } from '../telemetry/metrics-server.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Config } from './config/config.ts';

interface MetricsEndpoint {
  /** Null before it listens, and without one. */
  readonly address: string | null;
  listen(): Promise<void>;
  /** @param origin of the gateway */
  listening(origin: string): void;
  close(): Promise<void>;
}

export function addMetrics(
  server: HttpServer,
  { telemetry: { prometheus } }: Config,
  scrape: Telemetry['scrape'],
): MetricsEndpoint {
  const isOnMainPort = prometheus?.onMainPort === true;
  const own = scrape === null || isOnMainPort ? null : createMetricsServer(scrape);
  let address: string | null = null;
  if (scrape !== null && isOnMainPort) {
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
