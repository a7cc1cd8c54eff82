import type { Ports } from '../../src/kernel/ports.ts';

/** Methods that only read. Any other is a command: a new one does not compile until tests of all commands have it. */
interface Reads {
  readonly webhooks: 'list' | 'lists' | 'counts' | 'find' | 'whole' | 'health';
  readonly deliveries:
    | ('list' | 'lists' | 'counts' | 'find' | 'data' | 'attempts' | 'lastAttempts' | 'watch')
    | ('statistics' | 'backlog' | 'summary' | 'events' | 'findEvents' | 'dataOfEvents' | 'watchEvents');
}

export type Command<Name extends keyof Reads> = Exclude<
  {
    [Method in keyof Ports[Name]]-?: Ports[Name][Method] extends (...args: never[]) => unknown ? Method : never;
  }[keyof Ports[Name]],
  Reads[Name]
>;
