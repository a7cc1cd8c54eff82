/** Requests that act on the same job at once: each waits its turn, and is then done or truthfully refused. */
import { describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { anError, serveJobs } from './served-jobs.ts';

describe.each(backends)('requests for one job at once, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { publish, edit, solve, draft, publications, waits } = jobs;

  /** Sends the requests once the first is at the network, and lets the network respond when all of them wait. */
  const behind = <First, Other>(
    jobId: string,
    first: () => Promise<First>,
    others: readonly (() => Promise<Other>)[],
  ) =>
    jobs.whileHeld(async (open) => {
      const begun = first();
      await expect.poll(() => (publications.get(jobId) ?? 0) + (jobs.edits.get(jobId) ?? 0)).toBe(1);
      const sent = others.map((send) => send());
      await expect.poll(() => waits.get(jobId)).toBe(others.length);
      open();
      return [await begun, await Promise.all(sent)] as const;
    });

  const isPublished = { __typename: 'PnetJobPostingPublished' };
  const isEdited = { __typename: 'PnetJobPostingEdited' };
  const alreadyPublished = (state: string) => ({
    ...anError('action_already_performed'),
    message: `The draft has already been published: its state is ${state}.`,
  });

  test('a second publication waits, and gets the outcome of the first', async () => {
    const draftId = await draft('review');
    const [first, [second]] = await behind(draftId, () => publish(draftId), [() => publish(draftId)]);
    expect(first).toMatchObject(isPublished);
    expect(second).toMatchObject(alreadyPublished('review'));
    expect(publications.get(draftId)).toBe(1);
  });

  test('of many publications at once, one publishes', async () => {
    const draftId = await draft();
    const others = Array.from({ length: 19 }, () => () => publish(draftId));
    const [first, rest] = await behind(draftId, () => publish(draftId), others);
    expect(first).toMatchObject(isPublished);
    for (const answer of rest) expect(answer).toMatchObject(alreadyPublished('active'));
    expect(publications.get(draftId)).toBe(1);
  });

  test('of two fields of one request, one publishes', async () => {
    const draftId = await draft();
    const input = `{ accountId: "${jobs.accountId}", jobId: "${draftId}", mode: FREE }`;
    const { data } = await jobs.workspace.ask(
      `mutation { a: publishJob(input: ${input}) { __typename } b: publishJob(input: ${input}) { __typename } }`,
    );
    expect(data).toEqual({ a: isPublished, b: { __typename: 'RequestError' } });
  });

  test('edits at once are all carried out, in the order in which they came', async () => {
    const jobId = await draft('publish', { state: 'active' });
    const [first, rest] = await behind(jobId, () => edit({ jobId, workplace: 'REMOTE', description: 'first' }), [
      () => edit({ jobId, location: '7' }),
      () => edit({ jobId, autoRejectionTemplate: 'No.' }),
    ]);
    for (const answer of [first, ...rest]) expect(answer).toMatchObject(isEdited);
    const { fields } = await jobs.workspace.job(jobId);
    expect(fields).toMatchObject({
      workplace: 'REMOTE',
      description: 'first',
      location: '7',
      auto_rejection_template: 'No.',
    });
    // The network hears of the whole posting.
    expect(jobs.told.get(jobId)).toEqual(fields);
  });

  test('an edit during a publication waits, and is carried out', async () => {
    const jobId = await draft();
    const [first, [second]] = await behind(jobId, () => publish(jobId), [() => edit({ jobId, location: '7' })]);
    expect([first, second]).toMatchObject([isPublished, isEdited]);
    expect(await jobs.workspace.job(jobId)).toMatchObject({ state: 'active', fields: { location: '7' } });
  });

  test('an edit during a publication that closes the job fails, as the job is closed', async () => {
    const jobId = await draft('closed');
    const [first, [second]] = await behind(jobId, () => publish(jobId), [() => edit({ jobId, location: '7' })]);
    expect(first).toMatchObject(isPublished);
    expect(second).toMatchObject({
      ...anError('action_already_performed'),
      message: 'The job is closed: it can no longer be edited.',
    });
  });

  test('a publication during an edit waits, and publishes', async () => {
    const jobId = await draft();
    const [first, [second]] = await behind(jobId, () => edit({ jobId, location: '7' }), [() => publish(jobId)]);
    expect([first, second]).toMatchObject([isEdited, isPublished]);
  });

  test('a second publication is carried out if the network refuses the first', async () => {
    const draftId = await draft('payment-error');
    const first = () => publish(draftId, { mode: 'PROMOTED' });
    const [refused, [done]] = await behind(draftId, first, [() => publish(draftId)]);
    expect(refused).toMatchObject(anError('payment_error'));
    expect(done).toMatchObject(isPublished);
  });

  test('of two correct solutions at once, one publishes', async () => {
    const draftId = await draft('otp');
    await publish(draftId);
    const answers = await Promise.all([solve(draftId, '123456'), solve(draftId, '123456')]);
    expect(answers.filter(({ __typename }) => __typename === isPublished.__typename)).toHaveLength(1);
    expect(answers).toContainEqual(expect.objectContaining(anError('action_already_performed')));
  });
});
