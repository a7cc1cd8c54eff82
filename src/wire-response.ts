/** A response of a service as it came over the wire: what reads bytes takes its bytes, and what reads objects its value. */
export interface WireResponse {
  /** The chunks of its body, as they arrived. They may be shared with other callers, so nobody changes them. */
  readonly body: readonly Uint8Array[];
  /**
   * The JSON object that the body is, in the contract's terms. It is parsed and checked when it is first asked for, and
   * may be shared with other callers, so nobody changes it.
   * @throws ServiceError, the same each time, for a body that is no response of the contract
   */
  value(): object;
}

/** The reads that were made for one request, by what they read. Failures are among them. */
export type ReadMemo = Map<string, Promise<WireResponse>>;
