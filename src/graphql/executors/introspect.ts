import { turnLimits } from '../../kernel/lib/fair-turns.ts';
import type { Exchange, Executor, Outcome } from '../exchange.ts';
import { Declined } from './declined.ts';
import type { Project } from './introspection.ts';

/** Characters of a prepared introspection per cost 1: about as many as a microsecond puts together. */
const charactersOfCost = 64;

export const introspect = (): Executor => (exchange) => {
  const { project } = exchange.operation;
  return project === null ? new Declined('no introspection of a tool') : print(exchange, project);
};

async function print(exchange: Exchange, project: Project): Promise<Outcome> {
  await exchange.turnBefore(turnLimits.perTurn);
  const body = project(exchange.values);
  exchange.cost = { ...exchange.cost, requestedCost: Math.ceil(body.length / charactersOfCost) };
  return { body };
}
