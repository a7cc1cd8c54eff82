import { ServiceError } from './errors.ts';

/** A failure of the account's session, not of the call's posting: a network may verify an account at any time. */
export class SessionFailure extends ServiceError {}
