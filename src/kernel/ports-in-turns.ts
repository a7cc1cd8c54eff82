import { isRead, type PortMethod, type Ports, wrapPorts } from './ports.ts';

/** Ports with a turn of the event loop after each read: reads that end together would hold the loop in a row. */
export const portsInTurns = (ports: Ports): Ports =>
  wrapPorts(ports, (method, of) => (isRead(of) ? inTurn(method) : method));

const inTurn =
  (method: PortMethod): PortMethod =>
  (context, ...rest) => {
    const { turn } = context;
    const result = method(context, ...rest);
    // Watches read nothing.
    if (turn === undefined || !(result instanceof Promise)) return result;
    return result.then((value: unknown) => turn()?.then(() => value) ?? value);
  };
