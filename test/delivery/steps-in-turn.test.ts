import { expect, it } from 'vitest';
import { inTurn } from '../../src/delivery/repeat.ts';

it('webhooks take turns, however much one of them has to do', async () => {
  const left = new Map([
    ['a', 200],
    ['b', 1],
    ['c', 2],
  ]);
  const taken: string[] = [];
  const step = inTurn({
    next: async (behind) => [...left.keys()].find((id) => id > behind),
    async step(id) {
      taken.push(id);
      left.set(id, (left.get(id) ?? 0) - 1);
      if (left.get(id) === 0) left.delete(id);
      return left.has(id);
    },
  });
  for (let steps = 0; steps < 6; steps += 1) await step();
  expect(taken).toEqual(['a', 'b', 'c', 'a', 'c', 'a']);
});

it('a webhook whose deliveries others have locked is not taken again at once', async () => {
  const step = inTurn({ next: async (behind) => (behind < 'a' ? 'a' : undefined), step: async () => 'locked' });
  expect(await step()).toBe(false);
});
