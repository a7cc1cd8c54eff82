import { expect, test } from 'vitest';
import { closeAll } from '../src/kernel/lib/close-all.ts';

test('closes one after the other, the last one first, whatever fails', async () => {
  const closed: string[] = [];
  const closer = (name: string, failure?: string) => async () => {
    await Promise.resolve();
    closed.push(name);
    if (failure !== undefined) throw new Error(failure);
  };
  const closers = [closer('metrics'), closer('backend', 'late'), closer('server')];
  await expect(closeAll(closers)).rejects.toThrow('late');
  expect(closed).toEqual(['server', 'backend', 'metrics']);
  await closeAll(closers);
  expect(closed).toHaveLength(3);
});
