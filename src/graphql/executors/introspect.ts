import { turnLimits } from '../../kernel/lib/fair-turns.ts';
import type { Executor } from '../exchange.ts';
import { Declined } from './declined.ts';

/** Of a prepared introspection, per cost 1: about as many as a microsecond puts together. */
const charactersOfCost = 64;

export const introspect = (): Executor => async (exchange) => {
  const { operation, values } = exchange;
  const { project } = operation;
  if (project === null) return new Declined('no introspection of a tool');
  await exchange.turnBefore(turnLimits.perTurn);
  const body = project(values);
  exchange.cost = { ...exchange.cost, requestedCost: Math.ceil(body.length / charactersOfCost) };
  return { body };
};
