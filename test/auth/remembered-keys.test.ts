import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openStorage } from '../../src/app/backends/storage.ts';
import { createKey, revokeKey } from '../../src/auth/api-keys.ts';
import { rememberKeys } from '../../src/auth/remembered-keys.ts';
import { ensureWorkspace } from '../../src/auth/workspaces.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { databases } from '../support/databases.ts';

const caller: Caller = {
  keyId: 'id',
  keyName: 'key',
  workspaceId: 'workspace',
  workspaceName: 'workspace',
  scopes: new Set(),
  accountIds: null,
  expiresAt: null,
};

function setUp(found: Caller = caller) {
  let time = 1_000_000;
  const lookUp = vi.fn(async () => found);
  const keys = rememberKeys(lookUp, { now: () => new Date(time), clock: () => time });
  return { ...keys, lookUp, pass: (milliseconds: number) => (time += milliseconds) };
}

describe('a key that was found', () => {
  test('is looked up again after a second, and not before', async () => {
    const { authenticate, lookUp, pass } = setUp();
    for (const wait of [0, 1, 998]) {
      pass(wait);
      expect(await authenticate('key')).toBe(caller);
    }
    expect(lookUp).toHaveBeenCalledTimes(1);
    pass(1);
    await authenticate('key');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('is looked up once for simultaneous requests', async () => {
    const { authenticate, lookUp } = setUp();
    await Promise.all(Array.from({ length: 50 }, () => authenticate('key')));
    expect(lookUp).toHaveBeenCalledTimes(1);
  });

  test('is looked up again after a key was revoked, even during a lookup', async () => {
    const { authenticate, lookUp, forget } = setUp();
    const first = authenticate('key');
    forget();
    await first;
    await authenticate('key');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('is remembered, although an earlier look-up fails later', async () => {
    const { authenticate, lookUp, pass } = setUp();
    const { promise, reject } = Promise.withResolvers<Caller>();
    lookUp.mockReturnValueOnce(promise);
    const first = authenticate('key');
    pass(1_000);
    expect(await authenticate('key')).toBe(caller);
    reject(new ServiceError('unexpected_error'));
    await expect(first).rejects.toThrow();
    await authenticate('key');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('is looked up again after it has expired', async () => {
    const { authenticate, lookUp, pass } = setUp({ ...caller, expiresAt: new Date(1_000_500) });
    await authenticate('key');
    pass(499);
    await authenticate('key');
    expect(lookUp).toHaveBeenCalledTimes(1);
    pass(1);
    await authenticate('key');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });

  test('is not confused with any other', async () => {
    const { authenticate, lookUp } = setUp();
    await authenticate('key');
    await authenticate('another');
    expect(lookUp).toHaveBeenCalledTimes(2);
  });
});

test('a key that is refused, or none, is looked up each time', async () => {
  const refused = new ServiceError('invalid_credentials');
  const lookUp = vi.fn(async (): Promise<Caller> => {
    throw refused;
  });
  const { authenticate } = rememberKeys(lookUp, { now: () => new Date(0) });
  for (const key of ['wrong', 'wrong', '', undefined]) await expect(authenticate(key)).rejects.toBe(refused);
  expect(lookUp).toHaveBeenCalledTimes(4);
});

describe.each(databases)('a key that another process revokes, on $name', ({ name, location }) => {
  test('is refused at once where processes are notified, and within a second elsewhere', async () => {
    const { location: place, drop } = await location();
    const now = () => new Date();
    const logger = pino({ level: 'silent' });
    const tokenKeys = { current: randomBytes(32), previous: [] };
    const ours = await openStorage(place, { now, logger, randomBytes, tokenKeys });
    const theirs = await openStorage(place, { now, logger, randomBytes, tokenKeys });
    try {
      const workspaceId = await ensureWorkspace(ours.databases.keys, 'Acme', { now: now(), randomBytes });
      const { id, key } = await createKey(
        ours.databases.keys,
        { workspaceId, name: 'key', scopes: ['posts:read'], accountIds: null, expiresAt: null },
        { now: now(), randomBytes },
      );
      const use = () =>
        Promise.resolve(ours.authenticate(key)).then(
          () => 'accepted',
          (error: Error) => error.message,
        );
      // Where processes are notified, nothing else ends the second for which a key is remembered.
      if (name === 'Postgres') vi.spyOn(performance, 'now').mockReturnValue(performance.now());
      onTestFinished(() => void vi.restoreAllMocks());
      expect(await use()).toBe('accepted');
      await revokeKey(theirs.databases.keys, id, now());
      await expect.poll(use).toBe('The API key is not valid.');
    } finally {
      await Promise.all([ours.close(), theirs.close()]);
      await drop();
    }
  });
});
