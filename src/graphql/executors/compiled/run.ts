/** Prints lists and items out of JSON, without resolvers. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../kernel/errors.ts';
import { createSplicer, type Refusal, type Splice, type Splicer } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import type { Exchange, Executor } from '../../exchange.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { Declined } from '../declined.ts';
import { PageReader, type RunContext } from './page-reader.ts';
import type { EncodedOperation, Plans } from './plans.ts';

export interface CompiledOptions extends Pick<GraphQLContext, 'ports' | 'cursors'> {
  readonly maxResponseBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The limit's estimate (see response-size.ts) is at most this many times the response's bytes. */
const estimateFactor = 8;

/** Leaves surprises and failures to resolvers, with the pages read: they find the errors, and the exact size. */
export const compiled = ({ ports, cursors, maxResponseBytes, logger }: CompiledOptions): Executor => {
  let splicer: Splicer | undefined;

  function run(plans: Plans, exchange: Exchange): Promise<Splice> {
    const { caller, values } = exchange;
    if (caller === null) throw new Declined('no key');
    const plan = plans.planFor(values);
    if (plan instanceof Declined) throw plan;
    splicer ??= createSplicer({ maxOutputBytes: Math.floor(maxResponseBytes / estimateFactor) });
    return runCompiled(plan, values, Object.assign(exchange.contextOf(caller), { ports, cursors }), splicer);
  }

  return (exchange) => {
    const { plans } = exchange.operation;
    if (plans === null) return new Declined('compiling is off');
    const { facts } = exchange.http;
    if (plans instanceof Declined) {
      facts.compiled = plans.reason;
      return plans;
    }
    const decline = (error: unknown) => {
      // Nobody waits for what resolvers would find, and what failed may have failed for that.
      exchange.http.clientAborted.throwIfAborted();
      const declined = declinedBy(error, logger);
      facts.compiled = declined.reason;
      return declined;
    };
    try {
      return run(plans, exchange).then((splice) => {
        facts.compiled = 'yes';
        return { splice };
      }, decline);
    } catch (error) {
      return decline(error);
    }
  };
};

function declinedBy(error: unknown, logger: Pick<Logger, 'warn'>): Declined {
  if (error instanceof Declined) return error;
  if (error instanceof ServiceError) return new Declined(error.type);
  logger.warn({ err: error }, 'a compiled operation failed, and is executed by resolvers');
  return new Declined('failed');
}

/**
 * In an instance of the kernel that the caller must close. @param variables coerced
 * @throws Declined, or errors of reading and checking: the next executor reads no page again
 */
export async function runCompiled(
  { roots, after, ...operation }: EncodedOperation,
  variables: Values,
  context: RunContext,
  splicer: Splicer,
): Promise<Splice> {
  const reader = new PageReader({ operation, variables, context, splicer });
  try {
    const prints = await reader.print(roots);
    const { splice } = reader;
    for (const [at, print] of prints.entries()) {
      requirePrinted(splice.text(roots[at]?.before ?? ''));
      requirePrinted(splice.print(print.template, print.scanned, print));
    }
    requirePrinted(splice.text(after));
    return splice;
  } catch (error) {
    reader.close();
    throw error;
  }
}

function requirePrinted(refusal: Refusal | null): void {
  if (refusal !== null) throw new Declined(refusal);
}
