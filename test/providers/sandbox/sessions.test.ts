import { describe, expect, it } from 'vitest';
import { accountStatuses } from '../../../src/auth/account.ts';
import { errorNames, errorTable } from '../../../src/kernel/errors.ts';
import { sandboxSessionNames, sandboxSessions, sandboxToken } from '../../../src/providers/sandbox/networks.ts';
import { failure, list, networks, never, publishing, sessionOf } from '../../support/sandbox.ts';

describe('sessions', () => {
  it('cover every error of the contract that only a network can cause', () => {
    const ours = new Set<string>(Object.values(accountStatuses).map(({ failure: cause }) => cause?.errorName ?? ''));
    // Errors of the key, and the mismatch of a key with an account, arise before a network is called.
    const expected = errorNames.filter((name) => {
      const { status, family } = errorTable[name];
      return (
        [401, 403, 500, 503, 504].includes(status) && family !== 'key' && name !== 'account_mismatch' && !ours.has(name)
      );
    });
    expect(Object.keys(sandboxSessions)).toEqual(expect.arrayContaining(expected));
  });

  it.each(sandboxSessionNames)('%s has its outcome in every call', async (name) => {
    const session = sessionOf(sandboxToken(name));
    const draft = { jobId: '1', fields: {} };
    const checkpoint = { type: 'OTP' as const, challenge: '{"scenario":"otp","remaining":[]}' };
    const calls = [
      list(networks.PNET, 'ACoSandbox1', { session }),
      list(networks.PHOTONET, 'sandbox.one', { session }),
      networks.PNET.editPosting(session, draft, never),
      networks.PNET.publish(session, draft, publishing(), never),
      networks.PNET.solveCheckpoint(session, draft, checkpoint, '123456', never),
    ];
    const expected = name === 'ok' ? 'none' : name;
    expect(await Promise.all(calls.map(failure))).toEqual(calls.map(() => expected));
  });

  it.each(['', 'ok', 'sandbox:', 'sandbox:nonsense', 'sandbox:constructor', 'sandbox:invalid_parameters'])(
    'a token %j that the sandbox does not know is an unknown authentication context',
    async (token) => {
      const session = sessionOf(token);
      expect(await failure(list(networks.PNET, 'ACoSandbox1', { session }))).toBe('unknown_authentication_context');
    },
  );
});
