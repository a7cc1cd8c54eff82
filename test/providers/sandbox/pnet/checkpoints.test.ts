import { describe, expect, it } from 'vitest';
import { errorNames } from '../../../../src/kernel/errors.ts';
import { checkpointInputs } from '../../../../src/providers/sandbox/networks.ts';
import { failure, networks, never, ok, solve } from '../../../support/sandbox.ts';

describe('checkpoint inputs', () => {
  it.each(Object.entries(checkpointInputs.OTP))('the code %s is %s', async (code, outcome) => {
    expect(await failure(solve('otp', code))).toBe(outcome === 'accepted' ? 'none' : outcome);
  });

  it('distinguishes a wrong code from a malformed one', async () => {
    for (const code of ['0000', '654321', '12345678'])
      expect(await failure(solve('otp', code))).toBe('invalid_checkpoint_solution');
    for (const code of ['123', '123456789', 'abcdef', '12 456', '١٢٣٤٥٦', 'sandbox:provider_error', 'constructor']) {
      expect(await failure(solve('otp', code))).toBe('invalid_parameters');
    }
  });

  it('accepts its e-mail token, rejects an expired one, and has every error of the contract', async () => {
    expect(await failure(solve('email', 'sandbox-email-token'))).toBe('none');
    expect(await failure(solve('email', 'sandbox-expired-token'))).toBe('expired_link');
    for (const token of ['123456', 'nonsense', 'sandbox:ok', 'sandbox:nonsense', 'constructor']) {
      expect(await failure(solve('email', token))).toBe('invalid_checkpoint_solution');
    }
    for (const name of errorNames) {
      expect(await failure(solve('email', `sandbox:${name}`))).toBe(name);
    }
  });

  it('cannot solve the unsolvable, whatever the input', async () => {
    expect(await failure(solve('checkpoint-unsolvable', '123456'))).toBe('checkpoint_error');
    expect(await failure(solve('checkpoint-unsolvable', 'x'))).toBe('checkpoint_error');
  });

  it.each(['', 'null', '7', '{}', '{"scenario":"nope","remaining":[]}', '{"scenario":"otp","remaining":["SMS"]}'])(
    'rejects a challenge %j that it did not write',
    async (challenge) => {
      const draft = { jobId: '1', fields: {} };
      const attempt = networks.PNET.solveCheckpoint(ok, draft, { type: 'OTP', challenge }, '123456', never);
      expect(await failure(attempt)).toBe('checkpoint_error');
    },
  );
});
