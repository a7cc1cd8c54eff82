/** Queries of lists over the bytes of a service, without a resolver: the response is printed out of the page. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../kernel/errors.ts';
import { createSplicer, type Splicer } from '../../../splice/splicer.ts';
import type { Exchange, Executor, Outcome } from '../../exchange.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { Declined } from '../declined.ts';
import { runCompiled } from './run.ts';

export interface CompiledOptions extends Pick<GraphQLContext, 'ports' | 'cursors'> {
  readonly maxResponseBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The limit is on an estimate (see response-size.ts), which is at most this many times the bytes of the response. */
const estimateFactor = 8;

/**
 * What it does not expect, and whatever fails, it leaves to graphql-js, with the pages that were read: the errors, and the exact
 * size, are found there.
 */
export const compiled = ({ ports, cursors, maxResponseBytes, logger }: CompiledOptions): Executor => {
  let splicer: Splicer | undefined;

  const run = async (exchange: Exchange): Promise<Outcome | Declined> => {
    const { operation, caller, values } = exchange;
    const { plans } = operation;
    if (plans === null || plans instanceof Declined) return plans ?? new Declined('compiling is off');
    if (caller === null) return new Declined('no key');
    const plan = plans.planFor(values);
    if (plan instanceof Declined) return plan;
    splicer ??= createSplicer();
    const splice = await runCompiled(plan, values, { ...exchange.contextOf(caller), ports, cursors }, splicer);
    if (splice.output().length * estimateFactor <= maxResponseBytes) return { splice };
    splice.close();
    return new Declined('the response is large');
  };

  return async (exchange) => {
    const outcome = await run(exchange).catch((error: unknown) => declinedBy(error, logger));
    if (exchange.operation.plans !== null)
      exchange.http.facts.compiled = outcome instanceof Declined ? outcome.reason : 'yes';
    return outcome;
  };
};

function declinedBy(error: unknown, logger: Pick<Logger, 'warn'>): Declined {
  if (error instanceof Declined) return error;
  if (error instanceof ServiceError) return new Declined(error.type);
  logger.warn({ err: error }, 'a compiled operation failed, and is executed by graphql-js');
  return new Declined('failed');
}
