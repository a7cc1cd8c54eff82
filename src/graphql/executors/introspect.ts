import type { Executor } from '../exchange.ts';
import { Declined } from './declined.ts';

/** Characters of a prepared introspection that cost 1. A microsecond puts together about as many. */
const charactersOfCost = 64;

/** Puts together what tools ask of the schema: see introspection.ts. */
export const introspect = (): Executor => (exchange) => {
  const { project } = exchange.operation;
  if (project === null) return new Declined('no introspection of a tool');
  const body = project();
  exchange.cost = { ...exchange.cost, requestedCost: Math.ceil(body.length / charactersOfCost) };
  return { body };
};
