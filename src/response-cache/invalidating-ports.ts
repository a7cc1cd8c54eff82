/**
 * The ports, with each command followed by the end of what was kept before it: whatever its outcome, because what failed
 * half-way, or nobody knows of, may have changed something too. Both faces call the same ports, so no command is missed.
 */
import type { Caller } from '../auth/caller.ts';
import { keysOf } from '../keys-of.ts';
import { type PortName, type Ports, readMethods } from '../ports.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * Ports whose commands end nothing, because nothing that is kept shows what they change. Events come too often: a workspace
 * that emits one each second would keep nothing.
 */
const unkept: readonly PortName[] = ['deliveries'];

/** @param changed what a caller of this tenant may have read is out of date */
export function invalidatingPorts(ports: Ports, changed: (caller: Caller) => Promise<void>): Ports {
  const names = keysOf(readMethods).filter((name) => !unkept.includes(name));
  const invalidating = names.map((name) => [name, withCommands(ports[name], readMethods[name], changed)]);
  // The same names with the same types: the compiler does not follow them through entries.
  return { ...ports, ...(Object.fromEntries(invalidating) as Pick<Ports, PortName>) };
}

type Method = (context: RequestContext, ...rest: readonly unknown[]) => Promise<unknown>;

function withCommands<Port extends object>(
  port: Port,
  reads: readonly string[],
  changed: (caller: Caller) => Promise<void>,
): Port {
  const members = Object.entries(port).map(([name, member]) =>
    typeof member !== 'function' || reads.includes(name)
      ? [name, member]
      : [name, command(member.bind(port) as Method, changed)],
  );
  return { ...port, ...Object.fromEntries(members) };
}

const command =
  (method: Method, changed: (caller: Caller) => Promise<void>): Method =>
  async (context, ...rest) => {
    try {
      return await method(context, ...rest);
    } finally {
      await changed(context.caller);
    }
  };
