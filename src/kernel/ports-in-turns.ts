import { keysOf } from './lib/keys-of.ts';
import { type PortName, type Ports, readMethods } from './ports.ts';
import type { RequestContext } from './request-context.ts';

/** Ports with a turn of the event loop after each read: reads that end together would hold the loop in a row. */
export function portsInTurns(ports: Ports): Ports {
  const inTurns = keysOf(readMethods).map((name) => [name, withTurns(ports[name], readMethods[name])]);
  // The compiler does not follow names and types through entries.
  return { ...ports, ...(Object.fromEntries(inTurns) as Pick<Ports, PortName>) };
}

type PortMethod = (context: RequestContext, ...rest: readonly unknown[]) => unknown;

function withTurns<Port extends object>(port: Port, reads: readonly string[]): Port {
  const members = Object.entries(port).map(([name, member]) =>
    typeof member === 'function' && reads.includes(name)
      ? [name, inTurn(member.bind(port) as PortMethod)]
      : [name, member],
  );
  return { ...port, ...Object.fromEntries(members) };
}

const inTurn =
  (method: PortMethod): PortMethod =>
  (context, ...rest) => {
    const { turn } = context;
    const result = method(context, ...rest);
    // Watches read nothing.
    if (turn === undefined || !(result instanceof Promise)) return result;
    return result.then((value: unknown) => turn()?.then(() => value) ?? value);
  };
