/** Responses in memory: what is found, when no more, and within which bound. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../src/cache/memory-store.ts';

const minute = 60_000;

function store(maxBytes = 1_048_576) {
  const clock = { ms: 0 };
  const memory = createMemoryStore({ maxBytes }, () => clock.ms);
  const generationOf = (tenant: string) => memory.get(tenant, 'none').generation as string;
  return {
    memory,
    clock,
    generationOf,
    keep(tenant: string, key: string, { text = key, lifetimeMs = minute, generation = generationOf(tenant) } = {}) {
      return memory.set({ tenant, key, generation, body: Buffer.from(text), lifetimeMs });
    },
    textOf(tenant: string, key: string) {
      const { body } = memory.get(tenant, key);
      return body === null ? null : Buffer.from(body).toString();
    },
  };
}

test('a stored response is found until it expires', () => {
  const { keep, textOf, clock } = store();
  expect(keep('t', 'a', { lifetimeMs: 1_000 })).toBe(true);
  expect(textOf('t', 'a')).toBe('a');
  expect(textOf('t', 'b')).toBeNull();
  clock.ms = 999;
  expect(textOf('t', 'a')).toBe('a');
  clock.ms = 1_000;
  expect(textOf('t', 'a')).toBeNull();
});

describe('a change', () => {
  test('invalidates the responses of its tenant, and nothing else', async () => {
    const { memory, keep, textOf } = store();
    keep('t', 'a');
    keep('other', 'b');
    await memory.invalidate('t');
    expect([textOf('t', 'a'), textOf('other', 'b')]).toEqual([null, 'b']);
    keep('t', 'a');
    expect(textOf('t', 'a')).toBe('a');
  });

  test('prevents storing responses that were begun before it', async () => {
    const { memory, keep, textOf, generationOf } = store();
    const before = generationOf('t');
    await memory.invalidate('t');
    expect(keep('t', 'a', { generation: before })).toBe(false);
    expect(textOf('t', 'a')).toBeNull();
    expect(generationOf('t')).not.toBe(before);
  });

  test('is not forgotten, however many tenants change', async () => {
    const { memory, keep, textOf, generationOf } = store();
    keep('t', 'a');
    await memory.invalidate('t');
    const seen = new Set([generationOf('t')]);
    for (let tenant = 0; tenant < 25_000; tenant += 1) await memory.invalidate(`tenant ${tenant}`);
    expect(textOf('t', 'a')).toBeNull();
    const before = generationOf('t');
    await memory.invalidate('t');
    expect(seen.has(generationOf('t'))).toBe(false);
    expect(generationOf('t')).not.toBe(before);
  });
});

test('the most recently used responses stay, within the bound', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ key: fc.nat(30), size: fc.nat(5_000), reads: fc.boolean() }), { maxLength: 200 }),
      (steps) => {
        const { memory, keep, textOf } = store(20_000);
        for (const { key, size, reads } of steps) {
          if (reads) textOf('t', String(key));
          else keep('t', String(key), { text: 'x'.repeat(size) });
          expect(memory.bytes).toBeLessThanOrEqual(20_000);
        }
        const last = steps.findLast(({ reads }) => !reads);
        if (last !== undefined) expect(textOf('t', String(last.key))).toBe('x'.repeat(last.size));
      },
    ),
  );
  const { keep, textOf, memory } = store(3_000);
  expect(keep('t', 'beyond the bound', { text: 'x'.repeat(3_000) })).toBe(false);
  for (const key of ['a', 'b', 'c']) keep('t', key, { text: 'x'.repeat(400) });
  textOf('t', 'a');
  keep('t', 'd', { text: 'x'.repeat(400) });
  expect(['a', 'b', 'c', 'd'].filter((key) => textOf('t', key) !== null)).toEqual(['a', 'c', 'd']);
  expect(memory.bytes).toBeLessThanOrEqual(3_000);
});

test('small responses take no more memory than the bound, whatever buffers are made between them', async () => {
  const maxBytes = 4_194_304;
  const { memory } = store(maxBytes);
  const { generation } = memory.get('t', 'none');
  if (generation === null) throw new Error('It is in this process');
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const inBuffers = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = inBuffers();
  const text = 'x'.repeat(100);
  for (let key = 0; key < 10_000; key += 1) {
    memory.set({
      tenant: 't',
      key: String(key),
      generation,
      body: key % 2 === 0 ? text : Buffer.from(text),
      lifetimeMs: minute,
    });
    // What else the process does fills the blocks that Node.js shares among small buffers.
    Buffer.from('y'.repeat(2_000));
  }
  expect(memory.bytes).toBeGreaterThan(maxBytes / 2);
  // V8 sweeps the buffers that are gone on another thread, after the collection returns.
  await expect.poll(() => inBuffers() - before).toBeLessThan(maxBytes);
  // Each is still there.
  expect(memory.get('t', '9999').body).toEqual(Buffer.from(text));
});
