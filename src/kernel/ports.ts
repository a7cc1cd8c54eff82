import type { AccountsPort } from '../capabilities/accounts/port.ts';
import type { DeliveriesPort } from '../capabilities/deliveries/port.ts';
import type { JobsPort } from '../capabilities/jobs/port.ts';
import type { PostsPort } from '../capabilities/posts/port.ts';
import type { WebhooksPort } from '../capabilities/webhooks/port.ts';
import type { Caller, Scope } from './caller.ts';
import type { RequestContext } from './request-context.ts';

export interface Ports {
  /** Whether a service judges the rules that the contract leaves open, of operations of a scope. */
  readonly serviceJudges: (scope: Scope) => boolean;
  /** Ends the cached responses of a caller's tenant; undefined without a cache. */
  readonly invalidate?: (caller: Caller) => Promise<void>;
  readonly accounts: AccountsPort;
  readonly jobs: JobsPort;
  readonly posts: PostsPort;
  readonly webhooks: WebhooksPort;
  readonly deliveries: DeliveriesPort;
}

/** A port of a service, which has no other methods: the schema of its set-up leads to none. A call of one is a defect. */
export const onlyWith = <Port extends object>(methods: Partial<Port>): Port => methods as Port;

export type PortMethod = (context: RequestContext, ...rest: readonly unknown[]) => unknown;

/** The ports, each replaced. What is no port of them is a function. */
export function mapPorts(ports: Ports, replace: <Port extends object>(port: Port, name: string) => Port): Ports {
  const members = Object.entries(ports).map(([name, member]: [string, object]) => [
    name,
    typeof member === 'function' ? member : replace(member, name),
  ]);
  return Object.fromEntries(members) as Ports;
}

/** Other members stay as they are. */
export function wrapMethods<Target extends object>(
  target: Target,
  wrap: (method: PortMethod, name: string) => PortMethod,
): Target {
  const members = Object.entries(target).map(([name, member]) =>
    typeof member === 'function' ? [name, wrap(member.bind(target), name)] : [name, member],
  );
  return Object.fromEntries(members) as Target;
}

/** Ports with a turn of the event loop after each call: calls that end together would hold the loop in a row. */
export const portsInTurns = (ports: Ports): Ports => mapPorts(ports, (port) => wrapMethods(port, withTurn));

const withTurn =
  (method: PortMethod): PortMethod =>
  (context, ...rest) => {
    const { turn } = context;
    const result = method(context, ...rest);
    // Watches read nothing.
    if (turn === undefined || !(result instanceof Promise)) return result;
    return result.then((value: unknown) => turn()?.then(() => value) ?? value);
  };
