/** What a connection asks of a resolver. */

export interface ResolvedAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/**
 * Resolves a host name to all of its addresses, in the order in which to try them.
 * @throws LookupFailure
 */
export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** A name has no address, or none could be found out. The codes and the call are those of the system's resolver. */
export class LookupFailure extends Error {
  override readonly name = 'LookupFailure';
  readonly syscall = 'getaddrinfo';
  /** `EAI_AGAIN`: a name server did not answer, or could not. */
  readonly code: 'ENOTFOUND' | 'EAI_AGAIN';

  constructor(code: 'ENOTFOUND' | 'EAI_AGAIN', hostname: string) {
    super(`${code} ${hostname}`);
    this.code = code;
  }
}
