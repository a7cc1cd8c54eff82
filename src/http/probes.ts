/** What orchestrators ask: whether the process lives, and whether it can serve requests. */
import { ServiceError } from '../errors.ts';
import type { Draining } from './draining.ts';
import type { Route } from './router.ts';
import { sendJson } from './send.ts';

/** @param ready rejects while the gateway cannot serve requests */
export const probes = (ready: () => Promise<void>, draining: Draining): Route[] => [
  { method: 'GET', path: '/livez', serve: (request) => sendJson(request, 200, { status: 'alive' }) },
  {
    method: 'GET',
    path: '/readyz',
    async serve(request) {
      if (draining.started) throw new ServiceError('service_unavailable', { detail: 'The gateway is stopping.' });
      await ready().catch((cause: unknown) => {
        throw new ServiceError('service_unavailable', {
          detail: 'The gateway is not ready.',
          cause,
          headers: { 'retry-after': '5' },
        });
      });
      sendJson(request, 200, { status: 'ready' });
    },
  },
];
