/** Checks of a {@link JobProvider}. */
import assert from 'node:assert/strict';
import type { EndpointName } from '../../kernel/endpoint.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { jobResults } from '../own-networks.ts';
import type { JobProvider, NetworkPosting, ProviderSession, PublishStep } from '../provider.ts';
import { type Access, type Check, failureOf, never, requireAbortable, requireRefusal } from './check.ts';

export interface JobCase extends Access {
  readonly provider: JobProvider;
  /** Makes a draft that the network publishes at once, another one each time. */
  readonly draft: () => NetworkPosting;
  /** Default: the draft that a check has published. For a network that forgets. */
  readonly published?: NetworkPosting;
  /** How often the network has published a draft, if it can tell. */
  readonly publications?: (draft: NetworkPosting) => Promise<number>;
  /** Left out for a network that has no checkpoints. */
  readonly checkpoint?: {
    /** Makes a draft that the network publishes after a checkpoint, another one each time. */
    readonly draft: () => NetworkPosting;
    readonly input: string;
    readonly wrongInput: string;
    /** Of a form that no input has. Left out if any text has the form of one. */
    readonly malformedInput?: string;
  };
}

/** What the interface of a network that publishes postings promises, a check for each promise. */
export function jobProviderChecks({
  provider,
  draft,
  published,
  publications,
  checkpoint,
  ...access
}: JobCase): Check[] {
  const { session } = access;
  const optionsOf = ({ jobId }: NetworkPosting) =>
    ({ mode: 'FREE', draft_id: jobId, account_id: session.accountId }) as const;
  const publish = (posting: NetworkPosting, by = session, signal = never): Promise<PublishStep> =>
    provider.publish(by, posting, optionsOf(posting), signal);
  const find = (posting: NetworkPosting, by = session, signal = never) => provider.findPublished(by, posting, signal);

  const calls: readonly [EndpointName, (by: ProviderSession, signal: AbortSignal) => Promise<unknown>][] = [
    ['PUB', (by, signal) => provider.checkSession(by, signal)],
    ['EDIT', (by, signal) => provider.editPosting(by, draft(), signal)],
    ['PUB', (by, signal) => publish(draft(), by, signal)],
    ['PUB', (by, signal) => find(draft(), by, signal)],
  ];

  const checks: Check[] = [
    {
      name: 'a session is valid, and an edit is accepted',
      run: async () => {
        await provider.checkSession(session, never);
        await provider.editPosting(session, draft(), never);
      },
    },
    {
      name: 'a draft is published',
      run: async () => {
        const step = jobResults.publish({}).parse(await publish(draft()));
        assert.equal((step as PublishStep).kind, 'published', 'draft must be one that is published at once');
      },
    },
    {
      name: 'a draft is published once',
      run: async () => {
        const posting = draft();
        const step = await publish(posting);
        try {
          assert.deepEqual(await publish(posting), step);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.errorName !== 'action_already_performed') throw error;
        }
        if (publications !== undefined) assert.equal(await publications(posting), 1);
      },
    },
    {
      name: 'what is published is found, and nothing else',
      run: async () => {
        const posting = draft();
        assert.equal(await find(posting), null);
        await publish(posting);
        assert.ok(jobResults.findPublished({}).parse(await find(published ?? posting)) !== null);
      },
    },
    {
      name: 'a wrong token is an error, whatever has been done before',
      run: async () => {
        for (const [endpoint, call] of calls) {
          await call(session, never);
          await requireRefusal(endpoint, access, (by) => call(by, never));
        }
      },
    },
    {
      name: 'an aborted call ends',
      run: async () => {
        for (const [, call] of calls) await requireAbortable((signal) => call(session, signal));
      },
    },
  ];
  if (checkpoint === undefined) return checks;

  const { draft: guarded, input, wrongInput, malformedInput } = checkpoint;
  async function open(): Promise<(text: string, by?: ProviderSession, signal?: AbortSignal) => Promise<PublishStep>> {
    const posting = guarded();
    const step = await publish(posting);
    if (step.kind !== 'checkpoint') assert.fail('checkpoint.draft must be one that is published after a checkpoint');
    jobResults.publish({}).parse(step);
    const { type, challenge } = step;
    return (text, by = session, signal = never) =>
      provider.solveCheckpoint(by, posting, { type, challenge }, text, signal);
  }

  return [
    ...checks,
    {
      name: 'a right input solves a checkpoint',
      run: async () => {
        const solve = await open();
        jobResults.solveCheckpoint({}).parse(await solve(input));
      },
    },
    {
      name: 'a wrong input leaves a checkpoint open',
      run: async () => {
        const solve = await open();
        const { errorName } = await failureOf('CHK', session.token, solve(wrongInput));
        assert.equal(errorName, 'invalid_checkpoint_solution');
        await solve(input);
      },
    },
    {
      name: 'a malformed input is an error of its own',
      run: async () => {
        if (malformedInput === undefined) return;
        const solve = await open();
        const { errorName } = await failureOf('CHK', session.token, solve(malformedInput));
        assert.equal(errorName, 'invalid_parameters');
      },
    },
    {
      name: 'a checkpoint is solved with a valid token only, and by a call that can be aborted',
      run: async () => {
        const solve = await open();
        await requireRefusal('CHK', access, (by) => solve(input, by));
        await requireAbortable((signal) => solve(input, session, signal));
      },
    },
  ];
}
