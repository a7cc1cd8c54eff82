import type { Refusal, Splice } from './splice.ts';

/** A splice without a kernel: it refuses whatever it is to read or to print. */
export const refusingSplice = (refusal: Refusal): Splice => ({
  scan: () => refusal,
  print: () => refusal,
  text: () => refusal,
  output: () => new Uint8Array(),
  close: () => {},
});
