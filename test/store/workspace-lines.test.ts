/** Commands of a workspace that wait for what others have locked: they leave connections to other workspaces. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { DatabaseFault } from '../../src/store/faults.ts';
import { createWorkspaceLines } from '../../src/store/workspace-lines.ts';

const locked = new DatabaseFault('slow', new Error('locked'));
const turnMs = 1_000;

function opened(atOnce: number, waitMs = turnMs) {
  const inLine = createWorkspaceLines(atOnce, waitMs);
  const running: PromiseWithResolvers<void>[] = [];
  const started: string[] = [];
  const run = async (workspaceId = 'w', subject = '', signal: AbortSignal | null = null) => {
    const command = inLine({ workspaceId, subject, signal }, () => {
      const end = Promise.withResolvers<void>();
      running.push(end);
      started.push(workspaceId);
      return end.promise;
    });
    const [settled] = await Promise.allSettled([command]);
    return settled.status === 'fulfilled' ? 'fulfilled' : String(settled.reason.reason ?? settled.reason.name);
  };
  return { running, started, run };
}

it('of a workspace that met a lock one goes at once, until one is carried out, and all who ask for the same are refused', async () => {
  const { running, run } = opened(2);
  const met = [run(), run(), run(), run('other')];
  await sleep(0);
  expect(running).toHaveLength(3);
  running[2]?.resolve();
  running[0]?.reject(locked);
  await sleep(0);
  const later = [run(), run()];
  await sleep(0);
  // The second of those that met it still runs.
  expect(running).toHaveLength(3);
  running[1]?.reject(locked);
  expect(await Promise.all([...met, ...later])).toEqual(['slow', 'slow', 'slow', 'fulfilled', 'slow', 'slow']);

  const stored = [run(), run(), run()];
  await sleep(0);
  expect(running).toHaveLength(4);
  running[3]?.resolve();
  await sleep(0);
  expect(running).toHaveLength(6);
  for (const end of running) end.resolve();
  expect(await Promise.all(stored)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
});

it('who acts on something else has its turn after the one that met a lock, and sets nobody free', async () => {
  const { running, run } = opened(2);
  const met = run('w', 'locked');
  await sleep(0);
  running[0]?.reject(locked);
  expect(await met).toBe('slow');
  const again = [run('w', 'locked'), run('w', 'locked'), run('w', 'free'), run('w', 'free')];
  await sleep(0);
  running[1]?.reject(locked);
  expect(await Promise.all(again.slice(0, 2))).toEqual(['slow', 'slow']);
  await sleep(0);
  expect(running).toHaveLength(3);
  running[2]?.resolve();
  await sleep(0);
  expect(running).toHaveLength(4);
  const one = run('w', 'locked');
  await sleep(0);
  // The lock may still be there.
  expect(running).toHaveLength(4);
  running[3]?.resolve();
  await sleep(0);
  running[4]?.resolve();
  expect(await Promise.all([...again.slice(2), one])).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
});

it('workspaces that met a lock have together no more than one had before, by turns, and others do not wait for them', async () => {
  const { running, started, run } = opened(2);
  const names = ['a', 'b', 'c', 'd'];
  const met = names.map((name) => run(name));
  await sleep(0);
  expect(started).toEqual(names);
  for (const end of running.splice(0)) end.reject(locked);
  expect(await Promise.all(met)).toEqual(names.map(() => 'slow'));
  started.length = 0;
  const again = [...names, ...names].map((name) => run(name));
  await sleep(0);
  const other = run('other');
  await sleep(0);
  expect(started).toEqual(['a', 'b', 'other']);
  running[2]?.resolve();
  expect(await other).toBe('fulfilled');
  running[0]?.reject(locked);
  running[1]?.resolve();
  await sleep(0);
  // The second of a is refused with the first, and b is free.
  expect(started.slice(3)).toEqual(['c', 'd', 'b']);
  for (let rounds = 0; rounds < 2; rounds += 1) {
    for (const end of running) end.resolve();
    await sleep(0);
  }
  const done = 'fulfilled';
  expect(await Promise.all(again)).toEqual(['slow', done, done, done, 'slow', done, done, done]);
});

it('a long command holds up none of other workspaces', async () => {
  const { running, started, run } = opened(1);
  const names = ['a', 'b', 'c', 'd', 'e'];
  const commands = names.map((name) => run(name));
  await sleep(0);
  expect(started).toEqual(names);
  for (const end of running) end.resolve();
  await Promise.all(commands);
});

it('who waits for its turn too long is told that it is busy, and who has gone leaves the line', async () => {
  const { running, run } = opened(1, 20);
  const first = run();
  const gone = new AbortController();
  const waiting = [run('w', 'a'), run('w', 'b', gone.signal)];
  gone.abort();
  expect(await Promise.all(waiting)).toEqual(['busy', 'AbortError']);
  running[0]?.resolve();
  expect(await first).toBe('fulfilled');
  const next = run();
  await sleep(0);
  running[1]?.resolve();
  expect(await next).toBe('fulfilled');
  expect(running).toHaveLength(2);
});
