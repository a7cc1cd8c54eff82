/** Makes happen what a scenario says. */
import type { Callers } from './callers.ts';
import { hostOf, type Population } from './population.ts';
import { startProcess } from './process.ts';
import type { Happening } from './scenario.ts';
import type { World } from './world.ts';

/** A process that has ended is started again by then, at the latest. */
const restartMs = 20_000;

export function happen(world: World, population: Population, callers: Callers, happening: Happening): void {
  const { random, databaseFaults, network, processes, scenario } = world;
  const running = processes.filter(({ state }) => state === 'running');
  const victim = () => (running.length === 0 ? null : random.pick(running));
  const webhook = 'webhook' in happening ? population.webhooks[happening.webhook] : undefined;
  switch (happening.kind) {
    case 'emit':
      for (let left = happening.count; left > 0; left -= 1) callers.emit();
      return;
    case 'create':
      callers.create();
      return;
    case 'redeliver':
      callers.redeliver();
      return;
    case 'behave':
      network.behaviours.set(hostOf(happening.webhook), happening.behaviour);
      return;
    case 'start':
      if (running.length < 3) start(world);
      return;
    case 'stop':
      stop(world, victim());
      return;
    case 'kill':
      victim()?.kill();
      return;
    case 'killWithin':
      victim()?.killWithin(happening.statements);
      return;
    case 'pauseWithin':
      victim()?.pauseWithin(happening.statements, happening.ms);
      return;
    case 'pause':
      victim()?.pause(happening.ms);
      return;
    case 'trouble':
      databaseFaults.trouble(happening.ms, happening.probability);
      return;
    case 'slowness':
      databaseFaults.slowness(happening.ms, happening.slowMs);
      return;
    case 'outage':
      databaseFaults.outage(happening.ms);
      return;
    case 'jump':
      if (!scenario.isFair) world.jump(happening.ms);
      return;
    default:
      if (webhook !== undefined) command(callers, webhook, population, happening);
  }
}

type WebhookCommand = Extract<
  Happening,
  { kind: 'sendTest' | 'enable' | 'disable' | 'narrow' | 'widen' | 'remove' | 'redeliverAll' }
>;

function command(callers: Callers, webhook: string, { accounts }: Population, happening: WebhookCommand): void {
  switch (happening.kind) {
    case 'sendTest':
      callers.sendTest(webhook);
      return;
    case 'enable':
    case 'disable':
      callers.setEnabled(webhook, happening.kind === 'enable');
      return;
    case 'narrow':
      callers.listenTo(webhook, accounts.slice(0, 1));
      return;
    case 'widen':
      callers.listenTo(webhook, [...accounts]);
      return;
    case 'remove':
      callers.remove(webhook);
      return;
    case 'redeliverAll':
      callers.redeliverAll(webhook, happening.state);
      return;
    default:
      happening satisfies never;
  }
}

export function start(world: World): void {
  world.lastHappening = world.scheduler.now;
  world.processes.push(startProcess(world));
  world.hadSeveral ||= world.processes.filter(({ state }) => state !== 'ended').length > 1;
}

/** How long a process may take to stop: as long as a request, and the statements after it. */
const stopMs = 60_000;

function stop(world: World, process: ReturnType<typeof startProcess> | null): void {
  if (process === null) return;
  world.scheduler.in(stopMs, () => {
    const faulty = world.databaseFaults.lastAt > world.scheduler.now - stopMs;
    if (process.state === 'stopping' && !faulty)
      world.invariants.report(new Error(`the process ${process.id} does not stop`));
  });
  const ended = () => world.invariants.stopped(process);
  process.stop().then(ended, world.invariants.report);
}

/** Starts another process for one that has ended. */
export const restart = (world: World): void =>
  void world.scheduler.in(world.random.int(restartMs), () => {
    if (!world.processes.some(({ state }) => state === 'running')) start(world);
  });
