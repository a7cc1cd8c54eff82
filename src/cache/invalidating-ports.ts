/**
 * The ports, with an invalidation after each command: whatever its outcome, because a command that failed half-way, or whose
 * outcome nobody knows, may have changed something too. Both faces call the same ports, so no command is missed.
 */
import type { Caller } from '../kernel/caller.ts';
import { keysOf } from '../kernel/lib/keys-of.ts';
import { type PortName, type Ports, readMethods } from '../kernel/ports.ts';
import type { RequestContext } from '../kernel/request-context.ts';

/**
 * Ports whose commands invalidate nothing, because no cached response shows what they change. Events come too often: a workspace
 * that emits one each second would have nothing cached.
 */
const uncachedPorts: readonly PortName[] = ['deliveries'];

/** @param invalidate what the tenant of a caller has in the cache is stale */
export function invalidatingPorts(ports: Ports, invalidate: (caller: Caller) => Promise<void>): Ports {
  const names = keysOf(readMethods).filter((name) => !uncachedPorts.includes(name));
  const invalidating = names.map((name) => [name, withCommands(ports[name], readMethods[name], invalidate)]);
  // The same names with the same types: the compiler does not follow them through entries.
  return { ...ports, ...(Object.fromEntries(invalidating) as Pick<Ports, PortName>) };
}

type Method = (context: RequestContext, ...rest: readonly unknown[]) => Promise<unknown>;

function withCommands<Port extends object>(
  port: Port,
  reads: readonly string[],
  invalidate: (caller: Caller) => Promise<void>,
): Port {
  const members = Object.entries(port).map(([name, member]) =>
    typeof member !== 'function' || reads.includes(name)
      ? [name, member]
      : [name, command(member.bind(port) as Method, invalidate)],
  );
  return { ...port, ...Object.fromEntries(members) };
}

const command =
  (method: Method, invalidate: (caller: Caller) => Promise<void>): Method =>
  async (context, ...rest) => {
    try {
      return await method(context, ...rest);
    } finally {
      await invalidate(context.caller);
    }
  };
