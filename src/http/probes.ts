/** Orchestrators' probes: alive, and ready. */
import type { Logger } from 'pino';
import { retrySoon, ServiceError, toEnvelope } from '../kernel/errors.ts';
import type { Route } from './router.ts';
import { sendJson } from './send.ts';

/**
 * Keyless. The log has a line for each change of readiness.
 * @param ready rejects while the gateway is not
 * @param remarks tells what is wrong, with which the gateway is ready all the same
 */
export function probes(
  ready: () => Promise<void>,
  draining: AbortSignal,
  logger: Logger,
  remarks: () => object = () => ({}),
): Route[] {
  let wasReady = true;

  async function whyNot(): Promise<ServiceError | null> {
    if (draining.aborted) return new ServiceError('service_unavailable', { detail: 'The gateway is stopping.' });
    try {
      await ready();
      if (!wasReady) logger.info('the gateway is ready again');
      wasReady = true;
      return null;
    } catch (error) {
      if (wasReady) logger.error({ err: error }, 'the gateway is not ready');
      wasReady = false;
      return new ServiceError('service_unavailable', { detail: 'The gateway is not ready.', headers: retrySoon });
    }
  }

  return [
    { method: 'GET', path: '/livez', serve: (request) => sendJson(request, 200, { status: 'alive' }) },
    {
      method: 'GET',
      path: '/readyz',
      async serve(request) {
        const failure = await whyNot();
        if (failure === null) return sendJson(request, 200, { status: 'ready', ...remarks() });
        request.facts.errors = [failure.type];
        request.addHeaders(failure.headers);
        sendJson(request, failure.status, toEnvelope(failure, request.id));
      },
    },
  ];
}
