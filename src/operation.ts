/**
 * What a face may ask for. Both faces run the same operations, so that key, scope and shape are checked once and in the
 * same order: key → scope → shape, then in the port account → resource → state. The first that fails is the answer.
 */
import type { z } from 'zod';
import type { Caller, Scope } from './accounts/shapes.ts';
import type { Call } from './call.ts';
import type { Ports } from './context.ts';
import { type ErrorName, ServiceError } from './errors.ts';
import { parse } from './shape.ts';

export interface Asker extends Call {
  readonly ports: Ports;
}

/** An operation takes the request in the contract's words, unchecked, and answers in the contract's words. */
export interface Operation<Output> {
  (asker: Asker, request: unknown): Promise<Output>;
  /** What the key must be allowed to do. */
  readonly scope: Scope;
  /** What the request must look like. */
  readonly shape: z.ZodType;
}

/**
 * @param scope what the key must be allowed to do
 * @param shape what the request must look like
 * @param invalid the one error type for bad input, where the contract leaves the operation only one
 */
export function operation<Shape extends z.ZodType, Output>({
  scope,
  shape,
  invalid,
  run,
}: {
  readonly scope: Scope;
  readonly shape: Shape;
  readonly invalid?: ErrorName;
  readonly run: (ports: Ports, call: Call, request: z.output<Shape>) => Promise<Output>;
}): Operation<Output> {
  return Object.assign(
    async (asker: Asker, request: unknown) => {
      requireScope(asker.caller, scope);
      return run(asker.ports, asker, parse(shape, request, invalid));
    },
    { scope, shape },
  );
}

/** Throws `errors/insufficient_privileges` unless the caller's key has the scope. */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError('insufficient_privileges', { detail: `The API key lacks the scope ${scope}.` });
}
