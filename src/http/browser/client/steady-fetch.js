import { createRetry } from './retry.js';
export function steadyFetch(options = {}) {
  const { fetch: send = (...request) => fetch(...request), retry = createRetry(), onWaiting } = options;
  let waiting = 0;
  const count = (change) => {
    const before = waiting;
    waiting += change;
    if (before === 0 || waiting === 0) onWaiting?.(waiting > 0);
  };
  return async (input, init) => {
    let failed = 0;
    try {
      for (;;) {
        const response = await send(input, init).catch(orNoResponse);
        if (response !== null && !isOutage(response)) return response;
        failed += 1;
        if (failed === 1) count(1);
        response?.body?.cancel().catch(() => {});
        await retry.wait(failed - 1, retryAfterMs(response), init?.signal);
      }
    } finally {
      if (failed > 0) count(-1);
    }
  };
}
function orNoResponse(error) {
  if (error instanceof TypeError) return null;
  throw error;
}
function isOutage({ status, headers }) {
  if (headers.has('retry-after')) return status === 429 || status === 503;
  return status >= 500 && !headers.get('content-type')?.includes('json');
}
function retryAfterMs(response) {
  const value = response?.headers.get('retry-after') ?? '0';
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Math.max(0, ms) || 0;
}
