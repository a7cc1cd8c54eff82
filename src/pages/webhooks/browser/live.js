/** Live updates: a subscription that is opened again when it ends. */
import { ApiError, subscribe } from './api.js';
import { changes } from './queries.js';
import { createRetry } from './retry.js';

const retry = createRetry();

/**
 * Watches until the signal aborts.
 * @param {object} variables of the subscription
 * @param {(delivery: object) => void} onChange
 * @param {(state: 'connecting' | 'live' | 'offline') => void} onState
 * @param {() => void} onRefused the key is refused: watching has ended
 */
export async function watch({ variables, onChange, onState, onRefused, signal }) {
  let failed = 0;
  while (!signal.aborted) {
    onState('connecting');
    try {
      await subscribe(changes, {
        signal,
        variables,
        onOpen() {
          failed = 0;
          onState('live');
        },
        onData: ({ deliveryUpdated }) => deliveryUpdated && onChange(deliveryUpdated),
      });
    } catch (error) {
      if (error instanceof ApiError && error.isOfKey) return onRefused();
      // Anything else passes, or is tried again: a network that is away, a gateway that restarts.
    }
    if (signal.aborted) return;
    onState('offline');
    await retry.wait(failed, 0, signal).catch(() => {});
    failed += 1;
  }
}
