/** A target with everything that it needs: a store of its own, receivers, a producer and its workers. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { databases } from '../../support/databases.ts';
import { messageOf } from '../children.ts';
import { startArguments } from '../postern.ts';
import type { Arrived, Expectation } from './receiver.ts';
import type { Call, Order } from './serve.ts';
import type { Target } from './targets.ts';

/** What a scenario asks of every target. */
export interface Setting {
  readonly receivers: number;
  /** Milliseconds that a receiver takes. */
  readonly delayMs: number;
  /** Requests at once of one worker. */
  readonly concurrency: number;
  readonly replicas: number;
}

export interface Installation {
  readonly place: string;
  readonly receiver: ChildProcess;
  readonly producer: ChildProcess;
  readonly workers: readonly ChildProcess[];
  close(): Promise<void>;
}

const redisUrl = process.env.TEST_REDIS_URL;

/** What keeps a target from running on this machine, and what to do; null if nothing does. */
export function missing({ store }: Target): string | null {
  if (store === 'Postgres' && !databases.some(({ name }) => name === 'Postgres')) {
    return 'set TEST_POSTGRES_URL=postgres://… to a server';
  }
  return store === 'Redis' && redisUrl === undefined ? 'set TEST_REDIS_URL=redis://… to a server' : null;
}

export async function install(target: Target, setting: Setting): Promise<Installation> {
  const children: ChildProcess[] = [];
  const place = await storeOf(target);
  const close = async () => {
    for (const child of children) child.kill('SIGCONT');
    const [, producer] = children;
    if (producer?.connected) await call(producer, { method: 'remove' });
    // Their database goes next.
    await Promise.all(children.map(end));
    await place.drop();
  };
  try {
    const { concurrency, replicas } = setting;
    const receiver = await startBenchReceiver(setting);
    children.push(receiver.process);
    const order = { place: place.url, urls: receiver.urls, concurrency, mode: target.mode ?? null };
    const sender = async (role: Order['role']) => {
      const child = start(target.module, [JSON.stringify({ ...order, role } satisfies Order)], flagsOf(target));
      children.push(child);
      await messageOf(child);
      return child;
    };
    const producer = await sender('producer');
    const workers: ChildProcess[] = [];
    for (let n = 0; n < replicas; n += 1) workers.push(await sender('worker'));
    return { place: place.url, receiver: receiver.process, producer, workers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The receivers, and their URLs. */
export async function startBenchReceiver({ receivers, delayMs }: Pick<Setting, 'receivers' | 'delayMs'>): Promise<{
  readonly process: ChildProcess;
  readonly urls: readonly string[];
}> {
  const child = start(new URL('./receiver.ts', import.meta.url).pathname, [String(receivers), String(delayMs)], []);
  return { process: child, urls: (await messageOf(child)) as string[] };
}

const start = (file: string, args: readonly string[], flags: readonly string[]): ChildProcess =>
  fork(file, args, { execArgv: [...flags], env: { PATH: process.env.PATH, NODE_ENV: 'production' } });

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Postern runs with what `npm start` of its checkout gives Node.js, the others with the defaults. */
const flagsOf = ({ module }: Target): readonly string[] =>
  module.endsWith('/postern.ts') ? startArguments(join(module, '../../../..')).flags : [];

async function storeOf({ store }: Target): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const dialect = databases.find(({ name }) => name === store);
  if (dialect !== undefined) return dialect.location();
  const queue = new URL(`/postern-bench-${randomBytes(8).toString('hex')}`, redisUrl ?? 'redis://127.0.0.1');
  return { url: queue.href, drop: async () => {} };
}

/** Calls a method of a sender. Rejects if its process ends instead. */
export async function call(child: ChildProcess, order: Call): Promise<unknown> {
  child.send(order);
  return ((await messageOf(child)) as { value: unknown }).value;
}

/** Tells the receivers what is coming. @returns a function that waits for all of it */
export async function expectRequests(receiver: ChildProcess, expected: Expectation): Promise<() => Promise<Arrived>> {
  receiver.send(expected);
  await messageOf(receiver);
  const arrived = messageOf(receiver) as Promise<Arrived>;
  return () => arrived;
}

/** While others are measured an installation stands still: an idle worker polls, and some poll a lot. */
export function stand({ producer, workers, receiver }: Installation, still: boolean): void {
  for (const child of [producer, ...workers, receiver]) child.kill(still ? 'SIGSTOP' : 'SIGCONT');
}
