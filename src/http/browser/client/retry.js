const browser = globalThis instanceof EventTarget ? globalThis : undefined;
export function createRetry({ firstMs = 500, maxMs = 8_000, random = Math.random, network = browser } = {}) {
  return {
    async wait(attempt, atLeastMs = 0, signal) {
      await sleep(atLeastMs, signal);
      await sleep(random() * Math.min(maxMs, firstMs * 2 ** attempt), signal, network);
    },
  };
}
export async function retry(run, { attempts = 10, signal, ...options } = {}) {
  const { wait } = createRetry(options);
  for (let failed = 0; ; failed += 1) {
    try {
      return await run();
    } catch (error) {
      if (failed + 1 >= attempts) throw error;
      await wait(failed, 0, signal);
    }
  }
}
const longestTimerMs = 2_147_483_647;
function sleep(ms, signal, network) {
  return new Promise((resolve, reject) => {
    const end = (settle) => () => {
      clearTimeout(timer);
      network?.removeEventListener('online', wake);
      signal?.removeEventListener('abort', stop);
      settle();
    };
    const wake = end(resolve);
    const stop = end(() => reject(signal?.reason));
    const timer = setTimeout(wake, Math.min(ms, longestTimerMs));
    network?.addEventListener('online', wake);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
  });
}
