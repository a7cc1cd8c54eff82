/**
 * The rules of a checkpoint: the step that a network asks for before it publishes a draft. The contract leaves open how
 * many wrong inputs close it and how long it stays open.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { SessionFailure } from '../../kernel/session-failure.ts';
import type { PublishStep } from '../../providers/provider.ts';
import { readJsonColumn } from '../../store/json.ts';
import type { CheckpointType, OpenCheckpoint } from './shapes.ts';

/** A checkpoint as it is stored. Times are milliseconds since the epoch. */
export interface Checkpoint {
  readonly type: CheckpointType;
  /** What the network needs to continue the publication; never shown. */
  readonly challenge: string;
  readonly attempts_left: number;
  readonly expires_at: number;
}

/** Wrong inputs that close a checkpoint. */
export const maxAttempts = 5;
const lifetimeMs = 15 * 60 * 1_000;

export const readCheckpoint = (column: string | null): Checkpoint | null =>
  column === null ? null : readJsonColumn(column);

export const writeCheckpoint = (checkpoint: Checkpoint | null): string | null =>
  checkpoint === null ? null : JSON.stringify(checkpoint);

/** The checkpoint that the network has just asked for, with all its attempts. */
export const openCheckpoint = (
  { type, challenge }: Extract<PublishStep, { kind: 'checkpoint' }>,
  now: Date,
): Checkpoint => ({ type, challenge, attempts_left: maxAttempts, expires_at: now.getTime() + lifetimeMs });

/**
 * The checkpoint, if it takes an input.
 * @throws ServiceError `checkpoint_error` when none is open or too many inputs were wrong, `expired_link` when it expired
 */
export function requireOpen(checkpoint: Checkpoint | null, now: Date): Checkpoint {
  if (checkpoint === null) {
    throw new ServiceError('checkpoint_error', { detail: 'No checkpoint is open for this draft: publish it first.' });
  }
  if (checkpoint.attempts_left === 0) {
    throw new ServiceError('checkpoint_error', {
      detail: `The checkpoint closed after ${maxAttempts} wrong inputs: publish the draft again.`,
    });
  }
  if (isExpired(checkpoint, now)) {
    throw new ServiceError('expired_link', { detail: 'The checkpoint has expired: publish the draft again.' });
  }
  return checkpoint;
}

/**
 * The checkpoint after the network refused a solution: with one attempt less for a wrong input, null if the network
 * closed it, the same object for every other failure.
 */
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

/** What callers see of a checkpoint; null if it takes no input. */
export function shownCheckpoint(checkpoint: Checkpoint | null, now: Date): OpenCheckpoint | null {
  if (checkpoint === null || checkpoint.attempts_left === 0 || isExpired(checkpoint, now)) return null;
  const { type, attempts_left, expires_at } = checkpoint;
  return { type, attempts_left, expires_at: new Date(expires_at).toISOString() };
}

const isExpired = ({ expires_at }: Checkpoint, now: Date): boolean => expires_at <= now.getTime();
