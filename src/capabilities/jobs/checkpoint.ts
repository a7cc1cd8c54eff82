/** Rules of checkpoints. The contract leaves open how many wrong inputs close one, and how long it stays open. */

import { ServiceError, SessionFailure } from '../../kernel/errors.ts';
import { minute } from '../../kernel/lib/time-units.ts';
import type { PublishStep } from '../../providers/provider.ts';
import { readJsonColumn } from '../../store/json.ts';
import type { CheckpointType, OpenCheckpoint } from './shapes.ts';

/** As stored. Times are epoch milliseconds. */
interface Checkpoint {
  readonly type: CheckpointType;
  /** Continues the publication at the network; never shown. */
  readonly challenge: string;
  readonly attempts_left: number;
  readonly expires_at: number;
}

/** Wrong inputs that close a checkpoint. */
export const maxWrongInputs = 5;
const lifetimeMs = 15 * minute;

const closed = `The checkpoint closed after ${maxWrongInputs} wrong inputs: publish the draft again.`;

export const readCheckpoint = (column: string | null): Checkpoint | null =>
  column === null ? null : readJsonColumn(column);

export const writeCheckpoint = (checkpoint: Checkpoint | null): string | null =>
  checkpoint === null ? null : JSON.stringify(checkpoint);

export const openCheckpoint = (
  { type, challenge }: Extract<PublishStep, { kind: 'checkpoint' }>,
  now: Date,
): Checkpoint => ({ type, challenge, attempts_left: maxWrongInputs, expires_at: now.getTime() + lifetimeMs });

/** @throws ServiceError `checkpoint_error` without an open one or attempts, `expired_link` when it expired */
export function requireOpen(checkpoint: Checkpoint | null, now: Date): Checkpoint {
  if (checkpoint === null) {
    throw new ServiceError('checkpoint_error', { detail: 'No checkpoint is open for this draft: publish it first.' });
  }
  if (checkpoint.attempts_left === 0) {
    throw new ServiceError('checkpoint_error', { detail: closed });
  }
  if (isExpired(checkpoint, now)) {
    throw new ServiceError('expired_link', { detail: 'The checkpoint has expired: publish the draft again.' });
  }
  return checkpoint;
}

/** One attempt less for a wrong input, null if the network closed it, else the same object. */
export function afterFailure(checkpoint: Checkpoint, error: unknown): Checkpoint | null {
  if (!(error instanceof ServiceError) || error instanceof SessionFailure) return checkpoint;
  switch (error.errorName) {
    case 'invalid_checkpoint_solution':
      return { ...checkpoint, attempts_left: checkpoint.attempts_left - 1 };
    case 'checkpoint_error':
    case 'expired_link':
      return null;
    default:
      return checkpoint;
  }
}

/** The network would have another input tried. The last wrong one closes the checkpoint. */
export const failureOf = (error: unknown, after: Checkpoint | null): unknown =>
  error instanceof ServiceError && after?.attempts_left === 0
    ? new ServiceError(error.errorName, { ...error, detail: closed, cause: error })
    : error;

export function shownCheckpoint(checkpoint: Checkpoint | null, job_id: string, now: Date): OpenCheckpoint | null {
  if (checkpoint === null || checkpoint.attempts_left === 0 || isExpired(checkpoint, now)) return null;
  const { type, attempts_left, expires_at } = checkpoint;
  return { object: 'PnetJobPostingPublishCheckpoint', type, job_id, attempts_left, expires_at };
}

const isExpired = ({ expires_at }: Checkpoint, now: Date): boolean => expires_at <= now.getTime();
