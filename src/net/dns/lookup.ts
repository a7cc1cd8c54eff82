export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Addresses of a name that no name server is asked for; undefined for others. */
export type LocalNames = (hostname: string) => readonly ResolvedAddress[] | undefined;

export interface Lookup {
  /** All addresses of a host name, in the order in which to try them. @throws LookupFailure */
  (hostname: string): Promise<readonly ResolvedAddress[]>;
  readonly local?: LocalNames;
}

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
