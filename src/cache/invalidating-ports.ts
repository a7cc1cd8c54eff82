/** Ports with an invalidation after each command, failed ones too: they may have changed something. */
import type { Caller } from '../kernel/caller.ts';
import { isRead, type PortName, type Ports, wrapPorts } from '../kernel/ports.ts';

/** No cached response shows their changes. Events come too often: with one a second, nothing would stay cached. */
const uncachedPorts: readonly PortName[] = ['deliveries'];

/** @param invalidate the cache of a caller's tenant */
export const invalidatingPorts = (ports: Ports, invalidate: (caller: Caller) => Promise<void>): Ports =>
  wrapPorts(ports, (method, of) =>
    isRead(of) || uncachedPorts.includes(of.port)
      ? method
      : async (context, ...rest) => {
          try {
            return await method(context, ...rest);
          } finally {
            await invalidate(context.caller);
          }
        },
  );
