/** Writes about a request that fail: the caller hears why the request failed, and the log of the write, on every database. */
import { randomBytes } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { embeddedJobs } from '../../src/capabilities/jobs/embedded.ts';
import { jobLeases } from '../../src/capabilities/jobs/lease.ts';
import { cursorCodec } from '../../src/kernel/paging.ts';
import { sandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { createReadBudget } from '../../src/store/read-budget.ts';
import { linesOf } from '../../src/store/workspace-lines.ts';
import { backends, type SeededWorkspace, type Served } from '../support/backends.ts';
import { requestContext } from '../support/request-context.ts';
import { testVault } from '../support/webhooks.ts';

describe.each(backends.filter(({ serves }) => serves.drafts))('writes that fail, $name', (backend) => {
  let served: Served;
  let workspace: SeededWorkspace;
  let accountId: string;
  /** Whether an update fails, by its query as JSON. */
  let fails: (update: string) => boolean = () => false;
  let log: Record<string, unknown>[] = [];

  const failing: KyselyPlugin = {
    transformQuery({ node }) {
      if ((node.kind === 'UpdateQueryNode' || node.kind === 'RawNode') && fails(JSON.stringify(node)))
        throw new Error('The disk is full');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(JSON.parse(line)) });

  beforeAll(async () => {
    served = await backend.start();
    workspace = await served.workspace();
    accountId = await workspace.account();
  });
  afterAll(() => served.close());
  beforeEach(() => {
    [fails, log] = [() => false, []];
  });

  const dependencies = () => ({
    database: served.database.withPlugin(failing),
    inLine: linesOf({ kind: 'sqlite', file: '' }, 'jobs'),
    kind: 'sqlite' as const,
    now: () => served.clock.now,
    randomBytes,
    logger,
    vault: testVault,
  });

  /** The jobs of the workspace over the sandbox network, without a face. */
  function serve() {
    const network = sandboxNetworks({ clock: () => served.clock.now }).PNET;
    const cursors = cursorCodec(randomBytes(32), 'base64');
    const storedBytes = { requireRoom: async () => undefined, addForGood: () => undefined };
    const jobs = embeddedJobs({ ...dependencies(), network, cursors, storedBytes, budget: createReadBudget() });
    const context = requestContext(workspace.workspaceId);
    return {
      publish: (draftId: string) =>
        jobs.publish(context, { account_id: accountId, draft_id: draftId, mode: 'FREE' } as never),
      solve: (draftId: string, input: string) =>
        jobs.solveCheckpoint(context, { account_id: accountId, draft_id: draftId, input } as never),
    };
  }

  const attemptsLeft = async (draftId: string) => {
    const { checkpoint } = await served.database
      .selectFrom('jobs')
      .select('checkpoint')
      .where('id', '=', draftId)
      .executeTakeFirstOrThrow();
    return JSON.parse(checkpoint ?? 'null')?.attempts_left;
  };
  /** The write that says that nothing was published. */
  const clearsPublication = (update: string) => update.includes('"publication"') && !update.includes('"unknown"');
  const isUnstored = { level: 50, msg: 'what a failed request leaves behind could not be stored' };

  test('a wrong input uses an attempt although the publication cannot be noted', async () => {
    const { publish, solve } = serve();
    const draftId = await workspace.draft({ accountId, scenario: 'otp' });
    expect(await publish(draftId)).toMatchObject({ type: 'OTP' });
    fails = clearsPublication;
    await expect(solve(draftId, '999999')).rejects.toMatchObject({ errorName: 'invalid_checkpoint_solution' });
    expect(log).toMatchObject([{ ...isUnstored, jobId: draftId, err: { message: 'The disk is full' } }]);
    expect(await attemptsLeft(draftId)).toBe(4);
    // What was not noted is looked up.
    fails = () => false;
    expect(await solve(draftId, '123456')).toMatchObject({ object: 'PnetJobPostingPublished' });
  });

  test('the caller gets the response of the network although the attempt cannot be counted', async () => {
    const { publish, solve } = serve();
    const draftId = await workspace.draft({ accountId, scenario: 'otp' });
    await publish(draftId);
    fails = (update) => update.includes('"checkpoint"');
    await expect(solve(draftId, '999999')).rejects.toMatchObject({ errorName: 'invalid_checkpoint_solution' });
    expect(log).toMatchObject([isUnstored]);
  });

  test('the caller gets the refusal of a publication although it cannot be stored', async () => {
    const draftId = await workspace.draft({ accountId, scenario: 'not-free' });
    fails = clearsPublication;
    await expect(serve().publish(draftId)).rejects.toMatchObject({ errorName: 'invalid_parameters' });
    expect(log).toMatchObject([isUnstored]);
  });

  test('a lease that cannot be renewed or released says so in the log', async () => {
    const draftId = await workspace.draft({ accountId });
    const { acquire } = jobLeases(dependencies(), { leaseMs: 40 });
    const lease = await acquire(draftId, requestContext(workspace.workspaceId));
    fails = (update) => update.includes('claimed_until');
    const logged = (fields: object) => expect.objectContaining({ level: 40, ...fields });
    await expect
      .poll(() => log)
      .toContainEqual(logged({ table: 'jobs', id: draftId, msg: 'a lease could not be renewed' }));
    await lease[Symbol.asyncDispose]();
    expect(log).toContainEqual(logged({ jobId: draftId, msg: 'the lease on a job could not be released' }));
  });
});
