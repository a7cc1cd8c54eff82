import { setImmediate } from 'node:timers/promises';

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

/** Bytes that take a few milliseconds to parse. */
const large = 1_048_576;

/**
 * The value of a response. What is large is parsed in a turn of the event loop of its own, so that others wait for one step only.
 * @throws ServiceError as {@link WireResponse.value}
 */
export async function readValue(response: WireResponse): Promise<object> {
  const isLarge = response.body.reduce((bytes, { length }) => bytes + length, 0) > large;
  if (isLarge) await setImmediate();
  const value = response.value();
  if (isLarge) await setImmediate();
  return value;
}

/** The reads that were made for one request, by what they read. Failures are among them. */
export type ReadMemo = Map<string, Promise<WireResponse>>;
