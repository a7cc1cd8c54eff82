/** The record of one request: what the door received, and what each stage found out for those behind it. */
import type { ExecutionResult } from 'graphql';
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { Caller } from '../kernel/caller.ts';
import type { RequestContext } from '../kernel/request-context.ts';
import type { ReadMemo } from '../kernel/wire-response.ts';
import type { Splice } from '../splice/splicer.ts';
import type { CostReport } from './cost/limits.ts';
import type { KnownOperation } from './documents/known-operation.ts';
import type { Values } from './documents/variables.ts';
import type { Declined } from './executors/declined.ts';
import type { CacheLookup } from './response-cache.ts';

/** The parameters of a request, as they were sent: whether they are what they should be remains to be seen. */
export interface SentParameters {
  readonly query?: unknown;
  /** GraphQL over HTTP, appendix A: what urql sends, and clients of the client preset. */
  readonly documentId?: unknown;
  /** Relay's name of the same. */
  readonly doc_id?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
  readonly extensions?: unknown;
}

/** What came of a request: the response as it is sent, a result to be presented, or the results of a subscription. */
export type Outcome =
  | { readonly splice: Splice }
  /** `{"data":…}` without errors. */
  | { readonly body: Uint8Array | string }
  | { readonly result: ExecutionResult }
  | { readonly results: AsyncIterable<ExecutionResult> };

/**
 * A gate. It keeps what it finds out in the exchange.
 * @returns null for a request that may pass
 * @throws ServiceError or GraphQLError for one that is refused
 */
export type Stage = (exchange: Exchange) => Outcome | null | Promise<Outcome | null>;

/** Takes an operation that has passed every stage, or declines it before anything was changed. */
export type Executor = (exchange: Exchange) => Outcome | Declined | Promise<Outcome | Declined>;

export class Exchange {
  readonly http: IncomingRequest;
  sent: SentParameters = {};
  /** Requests in the body, if they came as a batch. */
  batchSize = 0;
  /** Null for a request without an API key. */
  caller: Caller | null = null;
  /** The text of the document. */
  text = '';
  /** The values of variables, as they were sent. */
  variables: Values = {};
  /** The same, coerced. */
  values: Values = {};
  cost: CostReport;
  /** What was found in the response cache; null for what is not cached. */
  cached: CacheLookup | null = null;
  /** Whether no stage has responded. */
  hasPassed = false;
  /** What one executor has read: another that takes over does not fetch it again. */
  readonly reads: ReadMemo = new Map();
  #operation: KnownOperation | undefined;

  constructor(http: IncomingRequest, { maxCost }: { readonly maxCost: number }) {
    this.http = http;
    this.cost = { requestedCost: null, limit: maxCost };
  }

  get operation(): KnownOperation {
    if (this.#operation === undefined) throw new Error('A stage asked for the operation before it was known');
    return this.#operation;
  }

  set operation(operation: KnownOperation) {
    this.#operation = operation;
  }

  /** Whether what is executed changes something. */
  get isMutation(): boolean {
    return this.#operation?.isMutation === true;
  }

  get isSubscription(): boolean {
    return this.#operation?.isSubscription === true;
  }

  /** @param caller of the operation; `signal` aborts when the result is no longer needed */
  contextOf(caller: Caller, signal: AbortSignal = this.http.clientAborted): RequestContext {
    const context = { caller, requestId: this.http.id, signal };
    if (this.isSubscription) return context;
    const whenClosed: RequestContext['whenClosed'] = (callback) => this.http.whenClosed(callback);
    // What was read must not be handed over once a mutation has changed it.
    if (this.isMutation) return { ...context, whenClosed };
    return { ...context, whenClosed, responses: this.reads, generation: this.cached?.generation };
  }
}
