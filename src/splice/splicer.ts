import type { EncodedPlan } from './encoded-plan.ts';
import { createKernel, type Kernel } from './kernel.ts';
import { OpenSplice } from './open-splice.ts';
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

/** Instances that wait for the next document. Making one costs some 300 µs, as much as a large page. */
const keptInstances = 32;
/** An instance whose memory has grown beyond is left to the garbage collector. */
const keptBytes = 4 * 1_024 * 1_024;

export interface SplicerOptions {
  /** Of one instance's memory: a document or an output that does not fit is refused. */
  readonly maxBytes?: number;
  /** Another build of the kernel, for tests that must see it fail. */
  readonly module?: WebAssembly.Module;
}

export function createSplicer({ maxBytes = defaultMaxBytes, module }: SplicerOptions = {}): Splicer {
  if (!(maxBytes >= leastMaxBytes && maxBytes <= mostMaxBytes)) {
    throw new RangeError(`maxBytes must be between ${leastMaxBytes} and ${mostMaxBytes}, not ${maxBytes}`);
  }
  const free: Kernel[] = [];
  const release = (kernel: Kernel): void => {
    if (free.length < keptInstances && kernel.size <= keptBytes) free.push(kernel);
  };
  /** Rather an instance that has the plan already, and of those the one that was used last. */
  const take = (plan: EncodedPlan): Kernel | undefined => {
    const loaded = free.findLastIndex((kernel) => kernel.loaded === plan);
    return (loaded < 0 ? free.pop() : free.splice(loaded, 1)[0]) ?? createKernel(maxBytes, module);
  };
  return { open: (plan) => new OpenSplice(plan, take(plan), release) };
}
