import type { EncodedPlan } from './encoded-plan.ts';
import { compileKernel, createKernel, type Kernel } from './kernel.ts';
import { openSplice } from './open-splice.ts';
import type { Refusal, Splice } from './splice.ts';

export { encodePlan } from './encode.ts';
export type { EncodedPlan } from './encoded-plan.ts';
export type { JsonDocument, Print, PrintOptions, Refusal, Scanned, Splice, WindowRange } from './splice.ts';

export interface Splicer {
  open(plan: EncodedPlan): Splice;
}

const defaultMaxBytes = 64 * 1_024 * 1_024;
const leastMaxBytes = 64 * 1_024;
/** The kernel writes lengths into 28 bits. */
const mostMaxBytes = 256 * 1_024 * 1_024;

/** Idle instances. Making one takes some 300 µs, as much as a large page. */
const maxIdle = 32;
/** Larger instances are dropped. */
export const maxIdleBytes = 4 * 1_024 * 1_024;

interface SplicerOptions {
  readonly maxBytes?: number;
  /** What is longer is refused before it is printed whole: escapes of a text of 15 MB hold the event loop for 100 ms. */
  readonly maxOutputBytes?: number;
  /** Another build, for tests that need it to fail. */
  readonly module?: WebAssembly.Module;
}

/** @throws RangeError for an impossible bound; Error if the kernel's file is missing or damaged */
export function createSplicer({
  maxBytes = defaultMaxBytes,
  maxOutputBytes = maxBytes,
  module,
}: SplicerOptions = {}): Splicer {
  if (!(maxBytes >= leastMaxBytes && maxBytes <= mostMaxBytes)) {
    throw new RangeError(`maxBytes must be between ${leastMaxBytes} and ${mostMaxBytes}, not ${maxBytes}`);
  }
  const compiled = module ?? compileKernel();
  const idle: Kernel[] = [];
  const release = (kernel: Kernel): void => {
    if (idle.length < maxIdle && kernel.size <= maxIdleBytes) idle.push(kernel);
  };
  const take = (plan: EncodedPlan): Kernel | undefined => {
    const loaded = idle.findLastIndex((kernel) => kernel.loaded === plan);
    return (loaded < 0 ? idle.pop() : idle.splice(loaded, 1)[0]) ?? createKernel(maxBytes, compiled);
  };
  return {
    open(plan) {
      const kernel = take(plan);
      if (kernel === undefined) return refusingSplice('too_large');
      const splice = openSplice(plan, kernel, { maxOutputBytes, release });
      if (splice === undefined) release(kernel);
      return splice ?? refusingSplice('too_large');
    },
  };
}

const refusingSplice = (refusal: Refusal): Splice => ({
  scan: () => refusal,
  asks: () => refusal,
  print: () => refusal,
  text: () => refusal,
  output: () => new Uint8Array(),
  close: () => {},
});
