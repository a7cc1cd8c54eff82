/** What orchestrators ask: whether the process lives, and whether it can serve requests. */
import type { Logger } from 'pino';
import { ServiceError, toEnvelope } from '../kernel/errors.ts';
import type { Draining } from './draining.ts';
import type { Route } from './router.ts';
import { sendJson } from './send.ts';

/**
 * Anybody may ask, without a key: the log has a line when the gateway stops or starts being ready, and none for a request.
 * @param ready rejects while the gateway cannot serve requests
 */
export function probes(ready: () => Promise<void>, draining: Draining, logger: Logger): Route[] {
  let wasReady = true;

  async function whyNot(): Promise<ServiceError | null> {
    if (draining.started) return new ServiceError('service_unavailable', { detail: 'The gateway is stopping.' });
    try {
      await ready();
      if (!wasReady) logger.info('the gateway is ready again');
      wasReady = true;
      return null;
    } catch (error) {
      if (wasReady) logger.error({ err: error }, 'the gateway is not ready');
      wasReady = false;
      return new ServiceError('service_unavailable', {
        detail: 'The gateway is not ready.',
        headers: { 'retry-after': '5' },
      });
    }
  }

  return [
    { method: 'GET', path: '/livez', serve: (request) => sendJson(request, 200, { status: 'alive' }) },
    {
      method: 'GET',
      path: '/readyz',
      async serve(request) {
        const failure = await whyNot();
        if (failure === null) return sendJson(request, 200, { status: 'ready' });
        request.facts.errors = [failure.type];
        request.addHeaders(failure.headers);
        sendJson(request, failure.status, toEnvelope(failure, request.id));
      },
    },
  ];
}
