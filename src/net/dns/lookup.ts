export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name, in the order in which to try them. @throws LookupFailure */
export type Lookup = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Addresses of a name that no name server is asked for; undefined for others. */
export type LocalNames = (hostname: string) => readonly ResolvedAddress[] | undefined;

/** Codes and call are those of the system's resolver. */
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
