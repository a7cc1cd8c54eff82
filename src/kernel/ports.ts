import type { AccountsPort } from '../capabilities/accounts/port.ts';
import type { DeliveriesPort } from '../capabilities/deliveries/port.ts';
import type { JobsPort } from '../capabilities/jobs/port.ts';
import type { PostsPort } from '../capabilities/posts/port.ts';
import type { WebhooksPort } from '../capabilities/webhooks/port.ts';
import type { Scope } from './caller.ts';
import { keysOf } from './lib/objects.ts';
import type { RequestContext } from './request-context.ts';

export interface Ports {
  /** Whether a service judges the rules that the contract leaves open, of operations of a scope. */
  readonly serviceJudges: (scope: Scope) => boolean;
  readonly accounts: AccountsPort;
  readonly jobs: JobsPort;
  readonly posts: PostsPort;
  readonly webhooks: WebhooksPort;
  readonly deliveries: DeliveriesPort;
}

export type PortName = Exclude<keyof Ports, 'serviceJudges'>;

/** Methods without effect. Any other is a command: a new method is one until it stands here. */
export const readMethods = {
  accounts: ['checkKey', 'list', 'counts', 'find', 'watch'],
  jobs: ['list', 'lists', 'counts', 'find', 'fields', 'watch'],
  posts: ['list'],
  webhooks: ['list', 'lists', 'counts', 'find', 'whole', 'health'],
  deliveries: [
    'list',
    'lists',
    'counts',
    'find',
    'data',
    'attempts',
    'lastAttempts',
    'statistics',
    'backlog',
    'summary',
    'watch',
    'events',
    'findEvents',
    'dataOfEvents',
    'watchEvents',
  ],
} as const satisfies { readonly [Name in PortName]: readonly (keyof Ports[Name])[] };

/** A port of a service, which has no other methods: the schema of its set-up leads to none. A call of one is a defect. */
export const onlyWith = <Port extends object>(methods: Partial<Port>): Port => methods as Port;

export type PortMethod = (context: RequestContext, ...rest: readonly unknown[]) => unknown;

interface MethodName {
  readonly port: PortName;
  readonly name: string;
}

/** The ports with each method wrapped. */
export function wrapPorts(ports: Ports, wrap: (method: PortMethod, of: MethodName) => PortMethod): Ports {
  const wrapped = keysOf(readMethods).map((port) => [
    port,
    wrapMethods(ports[port], (method, name) => wrap(method, { port, name })),
  ]);
  // The compiler does not follow names and types through entries.
  return { ...ports, ...(Object.fromEntries(wrapped) as Pick<Ports, PortName>) };
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

/** Whether a method is one of {@link readMethods}. */
export const isRead = ({ port, name }: MethodName): boolean => readMethods[port].some((each) => each === name);

/** Ports with a turn of the event loop after each read: reads that end together would hold the loop in a row. */
export const portsInTurns = (ports: Ports): Ports =>
  wrapPorts(ports, (method, of) => (isRead(of) ? withTurn(method) : method));

const withTurn =
  (method: PortMethod): PortMethod =>
  (context, ...rest) => {
    const { turn } = context;
    const result = method(context, ...rest);
    // Watches read nothing.
    if (turn === undefined || !(result instanceof Promise)) return result;
    return result.then((value: unknown) => turn()?.then(() => value) ?? value);
  };
