import type { EncodedPlan } from './encoded-plan.ts';
import { compileKernel, createKernel, type Kernel } from './kernel.ts';
import { openSplice } from './open-splice.ts';
import { refusingSplice } from './refusing-splice.ts';
import type { Splice } from './splice.ts';

export { encodePlan } from './encode.ts';
export type { EncodedPlan } from './encoded-plan.ts';
export type { PrintOptions, Refusal, Scanned, Splice } from './splice.ts';

export interface Splicer {
  open(plan: EncodedPlan): Splice;
}

const defaultMaxBytes = 64 * 1_024 * 1_024;
const leastMaxBytes = 64 * 1_024;
/** The kernel writes lengths into 28 bits. */
const mostMaxBytes = 256 * 1_024 * 1_024;

/** Idle instances that are kept. Making one costs some 300 µs, as much as a large page. */
const maxIdle = 32;
/** An instance with more memory than this is dropped, not kept. */
export const maxIdleBytes = 4 * 1_024 * 1_024;

export interface SplicerOptions {
  /** Of one instance's memory: a document or an output that does not fit is refused. */
  readonly maxBytes?: number;
  /** Another build of the kernel, for tests that must see it fail. */
  readonly module?: WebAssembly.Module;
}

/**
 * @throws RangeError for a bound that cannot be kept
 * @throws Error if the kernel's file is missing or damaged
 */
export function createSplicer({ maxBytes = defaultMaxBytes, module }: SplicerOptions = {}): Splicer {
  if (!(maxBytes >= leastMaxBytes && maxBytes <= mostMaxBytes)) {
    throw new RangeError(`maxBytes must be between ${leastMaxBytes} and ${mostMaxBytes}, not ${maxBytes}`);
  }
  const compiled = module ?? compileKernel();
  const idle: Kernel[] = [];
  const release = (kernel: Kernel): void => {
    if (idle.length < maxIdle && kernel.size <= maxIdleBytes) idle.push(kernel);
  };
  /** Prefers an idle instance with this plan loaded, the most recently used one. */
  const take = (plan: EncodedPlan): Kernel | undefined => {
    const loaded = idle.findLastIndex((kernel) => kernel.loaded === plan);
    return (loaded < 0 ? idle.pop() : idle.splice(loaded, 1)[0]) ?? createKernel(maxBytes, compiled);
  };
  return {
    open(plan) {
      const kernel = take(plan);
      if (kernel === undefined) return refusingSplice('too_large');
      const splice = openSplice(plan, kernel, release);
      if (splice === undefined) release(kernel);
      return splice ?? refusingSplice('too_large');
    },
  };
}
