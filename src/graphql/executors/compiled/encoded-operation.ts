import { type EncodedPlan, encodePlan } from '../../../splice/splicer.ts';
import type { CompiledOperation } from './operation.ts';

/** A compiled operation as it is kept and run: without the parts of its plan, which take several times the memory. */
export interface EncodedOperation extends Omit<CompiledOperation, 'plan'> {
  readonly plan: EncodedPlan;
}

export const encodeOperation = (operation: CompiledOperation): EncodedOperation => ({
  ...operation,
  plan: encodePlan(operation.plan),
});
