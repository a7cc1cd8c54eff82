/** Operations of both faces. The first failure is the response: key → scope → shape → account → resource → state. */
import type { z } from 'zod';
import { requireScope, type Scope } from './caller.ts';
import { type ErrorName, failureOfCommand } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import { parse } from './parse.ts';
import type { Ports } from './ports.ts';
import type { RequestContext } from './request-context.ts';
import type { Need } from './set-up.ts';

export interface AnyOperation<Output = unknown> {
  readonly scope: Scope;
  /** By default, what every set-up has. */
  readonly needs?: Need;
  readonly shape: z.ZodType;
  /** @param ownRules see `ownRule` in validation.ts. @throws ServiceError with an issue for every invalid field */
  check(request: unknown, ownRules?: boolean): unknown;
  /** Whether an embedded command is one transaction, which stores its response for an idempotency key. */
  readonly isAtomic: boolean;
  /** Whether cached responses of the caller's tenant end with it, also with one that fails. */
  readonly endsCached: boolean;
  /** Shape → port, for an authorized caller. @throws ServiceError with an issue for every invalid field */
  perform(ports: Ports, context: RequestContext, request: unknown): Promise<Output>;
}

export interface Operation<Request, Output> extends AnyOperation<Output> {
  /** The only error of invalid requests, where the contract leaves one. */
  readonly invalid: ErrorName | undefined;
  check(request: unknown, ownRules?: boolean): Request;
  /** Gets requests that have passed the shape. */
  readonly method: (ports: Ports) => (context: RequestContext, request: Request) => Promise<Output>;
}

interface OperationOptions {
  readonly invalid?: ErrorName;
  readonly changes?: boolean;
  readonly isAtomic?: boolean;
  readonly needs?: Need;
  /** Whether no cached response shows what a command changes. */
  readonly leavesCache?: boolean;
}

/** {@link operation} for what only some set-ups have. */
export const operationThatNeeds =
  (needs: Need, usual: OperationOptions = {}) =>
  <Request, Output>(
    scope: Scope,
    shape: z.ZodType<Request>,
    method: Operation<Request, Output>['method'],
    options: OperationOptions = {},
  ) =>
    operation(scope, shape, method, { ...usual, ...options, needs });

/** @param options.changes whether it is a command; by default, whether its scope is one to write */
export function operation<Request, Output>(
  scope: Scope,
  shape: z.ZodType<Request>,
  method: Operation<Request, Output>['method'],
  { invalid, changes = scope.endsWith(':write'), isAtomic = false, needs, leavesCache = false }: OperationOptions = {},
): Operation<Request, Output> {
  const check = (request: unknown, ownRules = true) => parse(shape, request, { invalid, ownRules });
  const endsCached = scope.endsWith(':write') && !leavesCache;
  const carryOut = endsCached ? endingCached(method) : method;
  return {
    scope,
    ...(needs === undefined ? {} : { needs }),
    shape,
    isAtomic,
    endsCached,
    invalid,
    check,
    method,
    async perform(ports, context, request) {
      try {
        return await carryOut(ports)(context, check(request, !ports.serviceJudges(scope)));
      } catch (error) {
        throw changes ? failureOfCommand(error) : error;
      }
    },
  };
}

/** A failed command may have changed something, too. */
const endingCached =
  <Request, Output>(method: Operation<Request, Output>['method']): typeof method =>
  (ports) =>
  async (context, request) => {
    try {
      return await method(ports)(context, request);
    } finally {
      await ports.invalidate?.(context.caller);
    }
  };

/** Authorizes the caller, then performs. @throws ServiceError `insufficient_privileges`, or as `perform` */
export async function run<Output>(
  operation: AnyOperation<Output>,
  ports: Ports,
  context: RequestContext,
  request: unknown,
): Promise<Output> {
  requireScope(context.caller, operation.scope);
  return operation.perform(ports, context, request);
}

interface KeyedCommand<Output extends object> {
  readonly operation: AnyOperation<Output>;
  readonly endpoint: string;
  readonly key: string;
  readonly request: object;
  readonly print: (result: Output) => string;
}

/** Performs an authorized command once for its key. @throws ServiceError as the operation, or Idempotency.once */
export function performOnceForKey<Output extends object>(
  idempotency: Idempotency,
  { operation, endpoint, key, request, print }: KeyedCommand<Output>,
  ports: Ports,
  context: RequestContext,
): ReturnType<Idempotency['once']> {
  const { caller, signal } = context;
  const isAtomic = operation.isAtomic && !ports.serviceJudges(operation.scope);
  return idempotency.once({ caller, endpoint, key, request, signal, isAtomic }, async (taken) => {
    const atomicKey = isAtomic ? { ...taken, print } : undefined;
    // A client that disconnects comes back for the response: the work does not end with its connection.
    const uninterrupted = { ...context, atomicKey, signal: new AbortController().signal };
    return print(await operation.perform(ports, uninterrupted, request));
  });
}
