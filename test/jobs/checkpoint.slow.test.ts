/** Checkpoints of a draft: the steps, wrong inputs, expiry, and what the network reports. */
import { describe, expect, test } from 'vitest';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import { limits } from '../../src/kernel/validation.ts';
import { checkpointInputs, sandboxToken } from '../../src/providers/sandbox/networks.ts';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { anError, serveJobs } from './served-jobs.ts';

describe.each(onOneDatabase(allBackends))('solveJobCheckpoint, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { publish, solve, draft } = jobs;

  const otp = '123456';
  const token = 'sandbox-email-token';
  const isPublished = { __typename: 'PnetJobPostingPublished' };
  const asks = (checkpointType: string) => ({ __typename: 'PnetJobPostingPublishCheckpoint', checkpointType });
  /** What is left of the checkpoint; a service does not tell. */
  const left = (attemptsLeft: number) => {
    const checkpoint = { checkpointType: 'OTP', attemptsLeft, expiresAt: expect.any(String) };
    return backend.serves.drafts ? { checkpoint: attemptsLeft === 0 ? null : checkpoint } : {};
  };

  test.each([
    ['otp', ['OTP'], 'ACTIVE'],
    ['otp-review', ['OTP'], 'REVIEW'],
    ['email', ['EMAIL_VERIFICATION'], 'ACTIVE'],
    ['email-then-otp', ['EMAIL_VERIFICATION', 'OTP'], 'ACTIVE'],
    ['otp-then-email', ['OTP', 'EMAIL_VERIFICATION'], 'ACTIVE'],
    ['otp-twice', ['OTP', 'OTP'], 'ACTIVE'],
  ] as const)('%s: walks through %j', async (scenario, steps, state) => {
    const draftId = await draft(scenario);
    let answer = await publish(draftId);
    for (const step of steps) {
      expect(answer).toEqual({ ...asks(step), jobId: draftId });
      expect((await jobs.workspace.job(draftId)).state).toBe('draft');
      answer = await solve(draftId, step === 'OTP' ? otp : token);
    }
    expect(answer).toEqual({ ...isPublished, jobId: draftId, state });
    expect(await jobs.workspace.job(draftId)).toMatchObject({ state: state.toLowerCase(), checkpoint: null });
    expect(await solve(draftId, otp)).toMatchObject(anError('action_already_performed'));
    expect(await publish(draftId)).toMatchObject(anError('action_already_performed'));
  });

  test('bypassesEmailVerification skips the step', async () => {
    expect(await publish(await draft('email'), { bypassesEmailVerification: true })).toMatchObject(isPublished);
    expect(await publish(await draft('email-then-otp'), { bypassesEmailVerification: true })).toMatchObject(
      asks('OTP'),
    );
    expect(await publish(await draft('email'), { bypassesEmailVerification: false })).toMatchObject(
      asks('EMAIL_VERIFICATION'),
    );
  });

  test('needs an open checkpoint', async () => {
    expect(await solve(await draft('otp'), otp)).toMatchObject(anError('checkpoint_error'));
  });

  test('closes after five wrong inputs, and publishing again opens it', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect(await solve(draftId, '999999')).toMatchObject({
        ...anError('invalid_checkpoint_solution'),
        issues: [
          { path: ['input', 'solution'], code: 'INCORRECT', limit: null, message: 'is not what the network sent' },
        ],
        ...left(5 - attempt),
        message: expect.stringContaining(attempt === 5 ? 'closed after 5 wrong inputs: publish' : 'try again'),
      });
    }
    expect(await solve(draftId, otp)).toMatchObject({
      ...anError('checkpoint_error'),
      message: expect.stringContaining('5 wrong inputs'),
    });
    expect(await publish(draftId)).toMatchObject(asks('OTP'));
    expect(await solve(draftId, otp)).toMatchObject(isPublished);
  });

  test('counts wrong inputs that arrive at once', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 4 }, () => solve(draftId, '999999')));
    expect(await solve(draftId, otp)).toMatchObject(anError('checkpoint_error'));
  });

  test('accepts the fifth input after four wrong ones', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    for (let attempt = 1; attempt <= 4; attempt += 1) await solve(draftId, '999999');
    expect(await solve(draftId, otp)).toMatchObject(isPublished);
  });

  test('a malformed input is told as a wrong one is, and does not count as an attempt', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    const issue = { code: 'MALFORMED', limit: null, message: 'must be a one-time code of 4 to 8 digits' };
    // A service says no more than the type of the error.
    const told = backend.serves.jobIssues ? issue : { code: 'MALFORMED', message: expect.any(String) };
    for (let attempt = 1; attempt <= 6; attempt += 1)
      expect(await solve(draftId, 'letters')).toMatchObject({
        ...anError('invalid_parameters'),
        __typename: 'CheckpointError',
        code: 'INVALID_PARAMETERS',
        issues: [{ path: ['input', 'solution'], ...told }],
        ...left(5),
      });
    expect(await solve(draftId, otp)).toMatchObject(isPublished);
  });

  test('an input of no checkpoint is refused before anything is looked for, as over REST', async () => {
    const tooLong: [string, string, string] = [
      'x'.repeat(limits.name + 1),
      'too_many_characters',
      `must have at most ${limits.name} characters`,
    ];
    // Whether the input may be empty is left to a service.
    const empty: [string, string, string][] = backend.serves.jobIssues
      ? [['', 'invalid_parameters', 'must not be empty']]
      : [];
    const draftId = await draft('otp');
    await publish(draftId);
    for (const [input, name, message] of [tooLong, ...empty]) {
      const told = {
        code: name.toUpperCase(),
        __typename: 'CheckpointError',
        issues: [{ path: ['input', 'solution'], message }],
      };
      expect(await solve('404', input)).toMatchObject({ ...told, ...left(0) });
      for (let attempt = 1; attempt <= 6; attempt += 1)
        expect(await solve(draftId, input)).toMatchObject({ ...told, ...left(5) });
    }
    expect(await solve(draftId, otp)).toMatchObject(isPublished);
  });

  test('each step has five attempts of its own', async () => {
    const draftId = await draft('email-then-otp');
    await publish(draftId);
    for (let attempt = 1; attempt <= 4; attempt += 1) await solve(draftId, 'wrong');
    expect(await solve(draftId, token)).toMatchObject(asks('OTP'));
    for (let attempt = 1; attempt <= 4; attempt += 1) await solve(draftId, '999999');
    expect(await solve(draftId, otp)).toMatchObject(isPublished);
  });

  test('expires after 15 minutes, and publishing again opens it', async () => {
    const draftId = await draft('email');
    await publish(draftId);
    const opened = jobs.served.clock.now;
    try {
      jobs.served.clock.now = new Date(opened.getTime() + 15 * 60_000);
      expect(await solve(draftId, token)).toMatchObject(anError('expired_link'));
      expect(await publish(draftId)).toMatchObject(asks('EMAIL_VERIFICATION'));
      jobs.served.clock.now = new Date(opened.getTime() + 30 * 60_000 - 1);
      expect(await solve(draftId, token)).toMatchObject(isPublished);
    } finally {
      jobs.served.clock.now = opened;
    }
  });

  test('the expiry is that of the open step', async () => {
    const draftId = await draft('email-then-otp');
    const opened = jobs.served.clock.now;
    try {
      await publish(draftId);
      jobs.served.clock.now = new Date(opened.getTime() + 14 * 60_000);
      expect(await solve(draftId, token)).toMatchObject(asks('OTP'));
      jobs.served.clock.now = new Date(opened.getTime() + 28 * 60_000);
      expect(await solve(draftId, otp)).toMatchObject(isPublished);
    } finally {
      jobs.served.clock.now = opened;
    }
  });

  test('publishing again starts over', async () => {
    const draftId = await draft('email-then-otp');
    await publish(draftId);
    await solve(draftId, token);
    expect(await publish(draftId)).toMatchObject(asks('EMAIL_VERIFICATION'));
    expect(await solve(draftId, otp)).toMatchObject(anError('invalid_checkpoint_solution'));
    expect(await solve(draftId, token)).toMatchObject(asks('OTP'));
  });

  const outcomes = Object.entries(checkpointInputs).flatMap(([type, inputs]) =>
    Object.entries(inputs as Record<string, ErrorName | 'accepted'>)
      .filter(([, outcome]) => outcome !== 'accepted')
      .map(([input, outcome]) => [type, input, outcome as ErrorName] as const),
  );
  test.each(outcomes)('%s: the input %s fails with %s', async (type, input, name) => {
    const draftId = await draft(type === 'OTP' ? 'otp' : 'email');
    await publish(draftId);
    const { data, errors } = await jobs.workspace.ask(jobs.documents.solveJobCheckpoint, {
      input: { accountId: jobs.accountId, jobId: draftId, solution: input },
    });
    if (errorTable[name].family === 'system')
      expect(errors).toMatchObject([{ extensions: { code: name.toUpperCase() } }]);
    else expect(data.solveJobCheckpoint).toMatchObject(anError(name));
    // What the network cannot go on with is closed; anything else can be tried again.
    const closes = name === 'checkpoint_error' || name === 'expired_link';
    const again = await solve(draftId, type === 'OTP' ? otp : token);
    expect(again).toMatchObject(closes ? anError('checkpoint_error') : isPublished);
  });

  test.runIf(backend.serves.drafts)('a session that fails uses no attempt, and gets no new draft', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    const use = (name: 'ok' | 'invalid_checkpoint_solution') =>
      jobs.served.database
        .updateTable('accounts')
        .set({ session: sandboxToken(name) })
        .where('id', '=', jobs.accountId)
        .execute();
    await use('invalid_checkpoint_solution');
    for (let attempt = 1; attempt <= 5; attempt += 1)
      expect(await solve(draftId, otp)).toMatchObject({ code: 'INVALID_CHECKPOINT_SOLUTION' });
    expect(await jobs.mutate('createJobDraft', { jobTitle: { text: 'Engineer' } })).toMatchObject({
      code: 'INVALID_CHECKPOINT_SOLUTION',
    });
    await use('ok');
    expect(await solve(draftId, otp)).toMatchObject(isPublished);
  });

  test('a checkpoint that cannot be resolved', async () => {
    const draftId = await draft('checkpoint-unsolvable');
    expect(await publish(draftId)).toMatchObject(asks('OTP'));
    expect(await solve(draftId, otp)).toMatchObject(anError('checkpoint_error'));
  });

  test('inputs are not logged', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    await solve(draftId, '87654321');
    expect(JSON.stringify(jobs.served.log)).not.toContain('87654321');
  });
});
