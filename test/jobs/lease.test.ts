/** The lease on a job: however many requests publish a draft at once, one publishes it. */
import { describe, expect, test } from 'vitest';
import { backends } from '../support/backends.ts';
import { anError, serveJobs } from './served-jobs.ts';

describe.each(backends)('the lease on a job, $name backend', (backend) => {
  const jobs = serveJobs(backend);
  const { publish, draft, publications } = jobs;

  test('of two requests that publish at once, one publishes', async () => {
    const draftId = await draft();
    const open = Promise.withResolvers<void>();
    jobs.gate = open.promise;
    const first = publish(draftId);
    try {
      await expect.poll(() => publications.get(draftId)).toBe(1);
      // The first is at the network now: the second must not get there.
      expect(await publish(draftId)).toMatchObject(anError('action_already_performed'));
    } finally {
      open.resolve();
      jobs.gate = Promise.resolve();
    }
    expect(await first).toMatchObject({ __typename: 'PnetJobPostingPublished' });
    expect(publications.get(draftId)).toBe(1);
  });

  test('of many requests that publish at once, one publishes', async () => {
    const draftId = await draft();
    const open = Promise.withResolvers<void>();
    jobs.gate = open.promise;
    let answered = 0;
    const one = async () => {
      const answer = await publish(draftId);
      answered += 1;
      // The one that reached the network first is held there until all others have their answer.
      if (answered === 19) open.resolve();
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 20 }, one));
    jobs.gate = Promise.resolve();
    expect(publications.get(draftId)).toBe(1);
    const successes = answers.filter(({ __typename }) => __typename === 'PnetJobPostingPublished');
    expect(successes).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== successes[0])) {
      expect(answer).toMatchObject(anError('action_already_performed'));
    }
  });

  test('of two fields of one request, one publishes', async () => {
    const draftId = await draft();
    const input = `{ accountId: "${jobs.accountId}", draftId: "${draftId}", mode: FREE }`;
    const { data } = await jobs.workspace.ask(
      `mutation { a: publishJob(input: ${input}) { __typename } b: publishJob(input: ${input}) { __typename } }`,
    );
    expect(data).toEqual({
      a: { __typename: 'PnetJobPostingPublished' },
      b: { __typename: 'ActionAlreadyPerformedError' },
    });
  });
});
