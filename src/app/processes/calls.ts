/** Calls between the primary and a process of it, in both directions, over the channel that Node.js gives them. */

import { messageOf } from '../../kernel/lib/to-error.ts';
import type { ChannelMessage } from '../../store/channel-messages.ts';

/** What a process calls. */
export type CallsOfMember = {
  /** Fails for a process that knows other calls. */
  join(version: number): { readonly signInToken: string };
  /** The process answers requests. */
  serve(): void;
  /** The process got a signal. @returns whether another takes its place first, and it is told to leave then; false where all stop */
  claimSuccessor(): boolean;
  announce(messages: readonly ChannelMessage[]): void;
  /** Settles rate limits. Times are epoch microseconds. */
  grant(settled: {
    readonly grants: readonly (readonly [id: string, amount: number])[];
    readonly now: number;
  }): Promise<readonly (readonly [id: string, ahead: number])[]>;
  /** @returns whether it is the first claim */
  claimSignIn(): boolean;
  scrapeAll(): Promise<string>;
};

/** What the primary calls. */
export type CallsOfPrimary = {
  /** A message of another process. */
  receive(message: ChannelMessage): void;
  /** This process's own metrics. */
  scrape(): Promise<string>;
  /** Number of processes that serve. */
  count(serving: number): void;
  /** Another process has taken this one's place. */
  leave(): void;
};

/** What this side calls: names with what is given and what comes back. */
type CallTable = Record<string, (given: never) => unknown>;

interface Message {
  readonly id: number;
  /** The name of a call; without it, the end of one. */
  readonly call?: string;
  readonly given?: unknown;
  readonly value?: unknown;
  readonly failure?: string;
}

/** `process` in a process of the primary, a `Worker` in the primary. */
export interface Peer {
  send?(message: Message, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: Message) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

export type Calls<Table extends CallTable> = <Name extends keyof Table & string>(
  name: Name,
  ...given: Parameters<Table[Name]>
) => Promise<Awaited<ReturnType<Table[Name]>>>;

/** The version of the tables above: a primary may be older than what it starts. */
export const callsVersion = 1;

/** Calls without an answer; Node.js would keep any number for a process that has stopped. */
const mostWaiting = 1_000;

/**
 * @param answers what the other side calls; texts, numbers, arrays and plain objects pass
 * @returns calls the other side. Rejects with its failure, or with Error where it does not answer or the channel closes
 */
export function openCalls<Theirs extends CallTable, Ours extends CallTable>(peer: Peer, answers: Ours): Calls<Theirs> {
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;
  const send = (message: Message) =>
    new Promise<void>((resolve, reject) => {
      if (peer.send === undefined) return reject(new Error('There is no channel'));
      peer.send(message, (error) => (error === null ? resolve() : reject(error)));
    });

  function answer({ id, call = '', given }: Message): void {
    const run = async () => (answers[call] as unknown as (given: unknown) => unknown)(given);
    run()
      .then(
        (value): Message => ({ id, value }),
        (error: unknown): Message => ({ id, failure: messageOf(error) }),
      )
      .then(send)
      // Nobody waits where the channel has closed.
      .catch(() => undefined);
  }

  peer.on('message', (message) => {
    if (message.call !== undefined) answer(message);
    else waiting.get(message.id)?.(message);
  });
  peer.on('disconnect', () => {
    for (const [id, settle] of waiting) settle({ id, failure: 'The other process has ended' });
  });
  return (call, given?: unknown) =>
    new Promise((resolve, reject) => {
      if (waiting.size >= mostWaiting) throw new Error('The other process does not answer');
      last += 1;
      const id = last;
      waiting.set(id, ({ value, failure }) => {
        waiting.delete(id);
        if (failure === undefined) resolve(value as never);
        else reject(new Error(failure));
      });
      send({ id, call, given }).catch((error: unknown) => waiting.get(id)?.({ id, failure: messageOf(error) }));
    });
}
