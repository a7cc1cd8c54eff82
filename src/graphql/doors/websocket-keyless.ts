/**
 * Connections without a valid API key, or none so far, by their address. Before `connection_init` they have little time,
 * and may be many: a restart brings back all clients behind one NAT at once. Later they are few and short: they may read
 * the schema, and hear the fault of the key.
 */

import { ServiceError } from '../../kernel/errors.ts';
import { onAbort } from '../../kernel/lib/abort-signal.ts';
import { addTo, type Tally } from '../../kernel/lib/tally.ts';
import { clientOf } from '../../net/addresses.ts';

export const keylessLimits = {
  /** Connections per address, and those of them that go on without a key. */
  beginning: 200,
  keyless: 10,
  lastMs: 60_000,
  /** Bound of a connection: requests have a rate, pings have none. */
  messages: 100,
} as const;

export type KeylessSockets = ReturnType<typeof keylessSockets>;

export function keylessSockets() {
  const beginning: Tally = new Map();
  const keyless: Tally = new Map();
  return {
    /** A place before `connection_init`. @throws ServiceError `service_unavailable` beyond the address's limit */
    begin: (ip: string, ended: AbortSignal) =>
      count(beginning, clientOf(ip), keylessLimits.beginning, ended, 'that have not begun'),
    /** A place without a right key, until `leave` is called. @throws ServiceError `service_unavailable` */
    stay(ip: string, ended: AbortSignal, leave: (reason: string) => void) {
      count(keyless, clientOf(ip), keylessLimits.keyless, ended, 'without a right API key');
      const timer = setTimeout(() => leave('Send a right API key in connection_init.'), keylessLimits.lastMs).unref();
      onAbort(ended, () => clearTimeout(timer));
    },
  };
}

function count(counts: Tally, address: string, limit: number, ended: AbortSignal, kind: string): void {
  if ((counts.get(address) ?? 0) >= limit) {
    throw new ServiceError('service_unavailable', {
      detail: `There can be ${limit} WebSockets ${kind} from this address.`,
    });
  }
  addTo(counts, address, 1);
  onAbort(ended, () => addTo(counts, address, -1));
}
