import { ServiceError } from './errors.ts';

/**
 * A failure of the account's session, whatever was called. It says nothing about the posting of the call or its
 * checkpoint, even if its type is that of a checkpoint: a network may ask an account to verify itself at any time.
 */
export class SessionFailure extends ServiceError {}
