import { type Issue, ServiceError, SessionFailure } from '../../kernel/errors.ts';
import type { OpenCheckpoint } from './shapes.ts';

/** A solution that did not pass, with the checkpoint that it leaves open; null if none is, or if the service does not tell. */
export class UnsolvedCheckpoint extends ServiceError {
  readonly checkpoint: OpenCheckpoint | null;

  constructor(failure: ServiceError, checkpoint: OpenCheckpoint | null) {
    super(failure.errorName, { ...failure, issues: issuesOf(failure), cause: failure, family: 'checkpoint' });
    this.checkpoint = checkpoint;
  }
}

/** What a form says beside its field, also if the service says no more than the type of the error. */
function issuesOf({ errorName, status, issues }: ServiceError): readonly Issue[] {
  if (issues.length > 0) return issues;
  const path = ['input'];
  if (errorName === 'invalid_checkpoint_solution')
    return [{ path, code: 'incorrect', message: 'is not what the network sent' }];
  return status === 400 ? [{ path, code: 'malformed', message: 'is not of the form that the network asks for' }] : [];
}

/**
 * The failure of a network or a service to take a solution. One that is wrong and one that is malformed, which the contract
 * tells apart by 401 and 400, are the same to whoever types it in; any other failure stays as it is.
 */
export function solutionFailure(error: unknown, checkpoint: OpenCheckpoint | null): unknown {
  if (!(error instanceof ServiceError) || error instanceof SessionFailure) return error;
  return error.family === 'checkpoint' || error.status === 400 ? new UnsolvedCheckpoint(error, checkpoint) : error;
}
