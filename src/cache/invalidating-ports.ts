/** Ports with an invalidation after each command, failed ones too: they may have changed something. */
import type { Caller } from '../kernel/caller.ts';
import { keysOf } from '../kernel/lib/keys-of.ts';
import { type PortName, type Ports, readMethods } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';

/** No cached response shows their changes. Events come too often: with one a second, nothing would stay cached. */
const uncachedPorts: readonly PortName[] = ['deliveries'];

/** @param invalidate the cache of a caller's tenant */
export function invalidatingPorts(ports: Ports, invalidate: (caller: Caller) => Promise<void>): Ports {
  const names = keysOf(readMethods).filter((name) => !uncachedPorts.includes(name));
  const invalidating = names.map((name) => [name, withCommands(ports[name], readMethods[name], invalidate)]);
  // The compiler does not follow names and types through entries.
  return { ...ports, ...(Object.fromEntries(invalidating) as Pick<Ports, PortName>) };
}

type Command = (context: RequestContext, ...rest: readonly unknown[]) => Promise<unknown>;

function withCommands<Port extends object>(
  port: Port,
  reads: readonly string[],
  invalidate: (caller: Caller) => Promise<void>,
): Port {
  const members = Object.entries(port).map(([name, member]) =>
    typeof member !== 'function' || reads.includes(name)
      ? [name, member]
      : [name, command(member.bind(port) as Command, invalidate)],
  );
  return { ...port, ...Object.fromEntries(members) };
}

const command =
  (method: Command, invalidate: (caller: Caller) => Promise<void>): Command =>
  async (context, ...rest) => {
    try {
      return await method(context, ...rest);
    } finally {
      await invalidate(context.caller);
    }
  };
