/**
 * Operations: everything that a face can do. Both faces run the same ones, so that scope and shape are checked in one
 * place and in one order: key → scope → shape, then in the port account → resource → state. The first failure is the
 * response.
 */
import type { z } from 'zod';
import { type Caller, requireScope, type Scope } from './caller.ts';
import { type ErrorName, failureOfCommand } from './errors.ts';
import { parse } from './parse.ts';
import type { Ports } from './ports.ts';
import type { RequestContext } from './request-context.ts';

/** An operation for code that passes requests on without looking into them. */
export interface AnyOperation<Output = unknown> {
  /** What the API key must be allowed to do. */
  readonly scope: Scope;
  /** What the request must look like, in the contract's terms. */
  readonly shape: z.ZodType;
  /**
   * Performs the operation for a caller that has been authorized: shape → port.
   * @param request in the contract's terms, unchecked
   * @throws ServiceError for every failure; an invalid request has an issue for every invalid field. That of a command says
   *   whether it may have been carried out.
   */
  perform(ports: Ports, context: RequestContext, request: unknown): Promise<Output>;
}

export interface Operation<Request, Output> extends AnyOperation<Output> {
  /** The error of every invalid request, if the contract leaves the operation only one. */
  readonly invalid: ErrorName | undefined;
  /**
   * @param ownRules whether the rules hold that the contract leaves open; see `ownRule` in validation.ts
   * @throws ServiceError with an issue for every invalid field
   */
  check(request: unknown, ownRules?: boolean): Request;
  /** The port method that performs the operation. Its request has passed the shape. */
  readonly method: (ports: Ports) => (context: RequestContext, request: Request) => Promise<Output>;
}

/**
 * Defines an operation.
 * @param scope what the API key must be allowed to do
 * @param shape what the request must look like, in the contract's terms
 * @param method the port method that performs the operation
 * @param options.invalid the error of every invalid request, if the contract leaves the operation only one
 * @param options.changes whether it is a command: whatever needs a scope to write is, if left out
 */
export function operation<Request, Output>(
  scope: Scope,
  shape: z.ZodType<Request>,
  method: Operation<Request, Output>['method'],
  { invalid, changes = scope.endsWith(':write') }: { readonly invalid?: ErrorName; readonly changes?: boolean } = {},
): Operation<Request, Output> {
  const check = (request: unknown, ownRules = true) => parse(shape, request, { invalid, ownRules });
  return {
    scope,
    shape,
    invalid,
    check,
    method,
    async perform(ports, context, request) {
      try {
        return await method(ports)(context, check(request, !ports.serviceJudges));
      } catch (error) {
        throw changes ? failureOfCommand(error) : error;
      }
    },
  };
}

/** @throws ServiceError `insufficient_privileges` if the caller's key lacks the operation's scope */
export function authorize({ scope }: Pick<AnyOperation, 'scope'>, caller: Caller): void {
  requireScope(caller, scope);
}

/**
 * Authorizes the caller, then performs the operation.
 * @throws ServiceError `insufficient_privileges` if the caller's key lacks the scope, or as `perform` does
 */
export async function run<Output>(
  operation: AnyOperation<Output>,
  ports: Ports,
  context: RequestContext,
  request: unknown,
): Promise<Output> {
  authorize(operation, context.caller);
  return operation.perform(ports, context, request);
}
