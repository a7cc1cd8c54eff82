/**
 * Several processes behind one address (node:cluster). The primary serves nothing: it starts the others, replaces what ends,
 * and passes on what they tell each other.
 */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { memoryRateLimits } from '../../auth/memory-rate-limits.ts';
import { within } from '../../kernel/lib/abort-signal.ts';
import type { Channel, ChannelMessage } from '../../store/channel-messages.ts';
import { type Calls, type CallsOfMember, type CallsOfPrimary, callsVersion, openCalls, type Peer } from './calls.ts';

interface Member {
  readonly worker: Worker;
  readonly call: Calls<CallsOfPrimary>;
  /** The lowest that no other has, so that metrics have few. */
  readonly number: number;
  /** Whether it serves, or false where it ends before. */
  readonly served: Promise<boolean>;
  readonly ended: Promise<void>;
  readonly tell: (message: ChannelMessage) => void;
  isServing: boolean;
  isLeaving: boolean;
}

/** Milliseconds before a process takes the place of one that has ended; doubled each time, until one has lived for `steady`. */
const restartMs = { first: 500, longest: 30_000, steady: 60_000 } as const;

/** Milliseconds until a process that does not answer is left out of the metrics. */
const scrapeMs = 5_000;

interface ProcessesOptions {
  readonly logger: Logger;
  /** Token of the link to GraphiQL with the demo key. */
  readonly signInToken: string;
  /** Milliseconds that a process has to leave; then it is killed. */
  readonly leaveMs: number;
}

/** Runs until a signal, or until the first start fails. @returns the exit code: 0 if all processes have stopped cleanly */
export async function runProcesses(count: number, { logger, signInToken, leaveMs }: ProcessesOptions): Promise<number> {
  const members = new Set<Member>();
  const buckets = memoryRateLimits();
  let isSignInClaimed = false;
  let isStopping = false;
  const stopping = Promise.withResolvers<void>();
  let worstCode = 0;
  let replacing = Promise.resolve();

  const tellCount = () => {
    const serving = [...members].filter(({ isServing }) => isServing).length;
    for (const { call } of members) call('count', serving).catch(ignoreEnded);
  };

  async function scrapeAll(): Promise<string> {
    const scrape = async ({ number, call, isServing }: Member) => {
      if (!isServing) return [];
      const text = await within(scrapeMs, call('scrape'), 'The process took too long').catch((err: unknown) => {
        logger.warn({ err, process: number }, 'a process is left out of the metrics');
        return null;
      });
      return text === null ? [] : [[String(number), text] as const];
    };
    return mergeMetrics(new Map((await Promise.all([...members].map(scrape))).flat()));
  }

  function fork(): Member {
    const taken = new Set([...members].map(({ number }) => number));
    const number =
      Array.from({ length: taken.size + 1 }, (_, index) => index + 1).find((each) => !taken.has(each)) ?? 1;
    const worker = cluster.fork();
    const serves = Promise.withResolvers<boolean>();
    const ends = Promise.withResolvers<void>();
    const call = openCalls<CallsOfPrimary, CallsOfMember>(worker as Peer, {
      join(version) {
        if (version !== callsVersion) throw new Error('The primary is of another version: restart the gateway');
        return { signInToken };
      },
      serve() {
        member.isServing = true;
        tellCount();
        serves.resolve(true);
      },
      claimSuccessor() {
        if (!isStopping && !member.isLeaving) replaceInTurn(() => [member]);
        return !isStopping;
      },
      announce(messages) {
        for (const each of members) if (each !== member) for (const message of messages) each.tell(message);
      },
      grant: async ({ grants, now }) => [...(await buckets.add(new Map(grants), now))],
      claimSignIn() {
        const isFirst = !isSignInClaimed;
        isSignInClaimed = true;
        return isFirst;
      },
      scrapeAll,
    });
    const member: Member = {
      worker,
      call,
      number,
      served: serves.promise,
      ended: ends.promise,
      tell: relayTo((message) => call('receive', message)),
      isServing: false,
      isLeaving: false,
    };
    members.add(member);
    const end = () => {
      members.delete(member);
      tellCount();
      serves.resolve(false);
      ends.resolve();
    };
    worker.on('exit', (code, signal) => {
      if (isStopping) {
        // One that is still starting gives up.
        if (member.isServing) worstCode = Math.max(worstCode, code ?? 1);
      } else if (!member.isLeaving)
        logger.error({ process: worker.process.pid, code, signal }, 'a process has ended by itself');
      end();
    });
    worker.on('error', (err) => {
      logger.error({ err }, 'a process could not be started or told');
      // Nothing else tells the end of one that never began.
      if (worker.process.pid === undefined) end();
    });
    return member;
  }

  /** Starts another process whenever one ends by itself. */
  async function keep(first?: Member): Promise<void> {
    let pauseMs: number = restartMs.first;
    for (let member = first ?? fork(); ; member = fork()) {
      const since = performance.now();
      await member.ended;
      if (member.isLeaving || isStopping) return;
      if (performance.now() - since >= restartMs.steady) pauseMs = restartMs.first;
      await sleep(pauseMs);
      pauseMs = Math.min(pauseMs * 2, restartMs.longest);
      if (isStopping) return;
    }
  }

  /** Replaces processes, one after the other. The old ones serve on where a start fails. */
  async function replace(those: readonly Member[]): Promise<void> {
    logger.info({ processes: those.map(({ worker }) => worker.process.pid) }, 'replacing the processes');
    for (const old of those) {
      if (isStopping) return;
      // What has taken its place is new.
      if (!members.has(old) || old.isLeaving) continue;
      if (await succeed(old)) continue;
      if (isStopping) return;
      logger.error('a process could not start: the old ones serve on');
      old.isLeaving = false;
      if (!members.has(old)) keep().catch(stopping.reject);
      return;
    }
    logger.info('replaced the processes');
  }

  /** After those of before, so that there is never more than one process too many. */
  function replaceInTurn(those: () => readonly Member[]): void {
    replacing = replacing.then(() => replace(those())).catch(stopping.reject);
  }

  /** Starts the successor of a process, which leaves once that serves. @returns false if it does not */
  async function succeed(old: Member): Promise<boolean> {
    old.isLeaving = true;
    const next = fork();
    if (!(await next.served)) return false;
    keep(next).catch(stopping.reject);
    await leave(old);
    return true;
  }

  async function leave(old: Member): Promise<void> {
    old.call('leave').catch(ignoreEnded);
    const killing = setTimeout(() => old.worker.process.kill('SIGKILL'), leaveMs);
    await old.ended;
    clearTimeout(killing);
  }

  function stop(signal: NodeJS.Signals): void {
    isStopping = true;
    stopping.resolve();
    for (const { worker } of members) worker.process.kill(signal);
    setTimeout(() => {
      for (const { worker } of members) worker.process.kill('SIGKILL');
    }, leaveMs).unref();
  }

  process.on('SIGHUP', () => {
    // The terminal has been closed.
    if (process.stdin.isTTY || process.stdout.isTTY) stop('SIGTERM');
    else replaceInTurn(() => [...members]);
  });
  process.on('SIGTERM', stop).on('SIGINT', stop);

  // It creates what is missing: the database, the secret, the demo.
  const first = fork();
  if (!(await first.served)) return Math.max(worstCode, 1);
  keep(first).catch(stopping.reject);
  for (let others = count - 1; others > 0 && !isStopping; others -= 1) keep().catch(stopping.reject);
  await stopping.promise;
  await Promise.all([...members].map(({ ended }) => ended));
  return worstCode;
}

/** A process that has ended hears no more. */
const ignoreEnded = () => undefined;

/**
 * Passes messages on. Those that could not be are made up for by one without a text, which says that some may have been missed.
 * @param receive rejects for a process that does not answer
 */
export function relayTo(receive: (message: ChannelMessage) => Promise<unknown>): (message: ChannelMessage) => void {
  const missed = new Set<Channel>();
  return function tell(message) {
    const tellMissed = () => {
      for (const channel of missed) {
        missed.delete(channel);
        tell({ channel, text: '' });
      }
    };
    receive(message).then(tellMissed, () => missed.add(message.channel));
  };
}

/**
 * One text of Prometheus's format out of those of several processes. Each series gets the label `process`; a family of
 * series has to stand together.
 * @param texts by the value of the label
 */
export function mergeMetrics(texts: ReadonlyMap<string, string>): string {
  const families: Families = new Map();
  for (const [process, text] of texts) {
    let family = familyOf(families, '');
    for (const line of text.split('\n')) {
      const [, name] = /^# (?:HELP|TYPE|UNIT) (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        family = familyOf(families, name);
        family.head.add(line);
      } else if (line !== '' && !line.startsWith('#')) {
        family.series.push(labelled(line, process));
      }
    }
  }
  const lines = [...families.values()].flatMap(({ head, series }) => [...head, ...series]);
  return lines.map((line) => `${line}\n`).join('');
}

type Families = Map<string, { readonly head: Set<string>; readonly series: string[] }>;

function familyOf(families: Families, name: string) {
  const family = families.get(name) ?? { head: new Set<string>(), series: [] };
  families.set(name, family);
  return family;
}

const labelled = (line: string, process: string): string =>
  line.replace(/^([^\s{]+)(?:\{(?=.)| )/, (start, name: string) =>
    start.endsWith('{') ? `${name}{process="${process}",` : `${name}{process="${process}"} `,
  );
