/** Subscriptions of a page, with the key of the tab. */
import { endpoint, options, toError } from './gateway.js';
import { watch } from './watch.js';

/**
 * The values of a subscription with one field, until the signal aborts; it connects again when the connection is lost.
 * @param {{ signal: AbortSignal, onLive: (isLive: boolean) => void, onConnected?: () => unknown }} how `onConnected` as of watch.js
 * @throws {Error} when the gateway refuses it for good, or the key: the next connection would have the same
 */
export async function* follow(query, variables, { signal, onLive, onConnected }) {
  const onWaiting = (isWaiting) => onLive(!isWaiting);
  const onRefused = ({ errors: [error] }) => {
    const failure = toError(error);
    if (failure.isOfKey) throw failure;
  };
  const how = { ...options(signal), onWaiting, onConnected, onRefused };
  for await (const { data } of watch(endpoint, { query, variables }, how)) {
    const [value] = Object.values(data ?? {});
    if (value) yield value;
  }
}
