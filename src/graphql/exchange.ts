/** The record of a request: the door's input, and each stage's findings for the next ones. */
import type { ExecutionResult } from 'graphql';
import { type IncomingRequest, noteEvent } from '../http/incoming-request.ts';
import type { Caller } from '../kernel/caller.ts';
import { type FairTurns, type Turn, turnsOfRequest, type Waiter } from '../kernel/lib/fair-turns.ts';
import { nothingSpent, Printing, ReadMemo, type RequestContext, type Spent } from '../kernel/request-context.ts';
import type { Splice } from '../splice/splicer.ts';
import type { CostReport } from './cost/limits.ts';
import { weightOfWrite } from './cost/weights.ts';
import type { KnownOperation } from './documents/known-documents.ts';
import type { SentDocument } from './documents/requested-document.ts';
import type { Values } from './documents/variables.ts';
import type { Declined } from './executors/declined.ts';
import type { CacheLookup } from './response-cache.ts';

export type OperationRequest = Pick<
  IncomingRequest,
  'id' | 'method' | 'url' | 'headers' | 'ip' | 'facts' | 'log' | 'clientAborted' | 'addHeaders' | 'json' | 'unread'
>;

export interface SentParameters extends SentDocument {
  readonly operationName?: unknown;
  readonly variables?: unknown;
}

/** Result of a request: a response, a result to present, or a subscription's results. */
export type Outcome =
  | { readonly splice: Splice }
  /** `{"data":…}` without errors. */
  | { readonly body: Uint8Array | string }
  | { readonly result: ExecutionResult }
  | { readonly results: AsyncIterable<ExecutionResult> };

/** A gate, with its findings kept in the exchange. @returns null to let it pass. @throws what refuses it */
export type Stage = (exchange: Exchange) => Outcome | null | Promise<Outcome | null>;

/** Executes an operation that has passed every stage, or declines it before any change. */
export type Executor = (exchange: Exchange) => Outcome | Declined | Promise<Outcome | Declined>;

export interface ExchangeOptions {
  readonly maxCost: number;
  readonly turns: FairTurns;
}

/** What all executors share, also one that takes over from another; a refused request has none. */
interface Execution {
  readonly spent: Spent;
  readonly reads: ReadMemo;
  readonly printing: Printing;
}

export class Exchange<Request extends OperationRequest = OperationRequest> implements Waiter {
  readonly http: Request;
  sent: SentParameters = {};
  caller: Caller | null = null;
  text = '';
  /** As sent. */
  variables: Values = {};
  /** Coerced. */
  values: Values = {};
  cost: CostReport;
  cached: CacheLookup | null = null;
  readonly #turns: FairTurns;
  #turn: Turn | undefined;
  #execution: Execution | undefined;
  #operation: KnownOperation | undefined;

  constructor(http: Request, { maxCost, turns }: ExchangeOptions) {
    this.http = http;
    this.#turns = turns;
    this.cost = { requestedCost: null, limit: maxCost };
  }

  get operation(): KnownOperation {
    if (this.#operation === undefined) throw new Error('A stage asked for the operation before it was known');
    return this.#operation;
  }

  set operation(operation: KnownOperation) {
    this.#operation = operation;
  }

  get isMutation(): boolean {
    return this.#operation?.isMutation === true;
  }

  get isSubscription(): boolean {
    return this.#operation?.isSubscription === true;
  }

  /** Turn of execution. By default, a piece weighs the operation's cost, but for its first write: that is the wait for a port. */
  get turn(): Turn {
    const cost = this.cost.requestedCost ?? 0;
    this.#turn ??= turnsOfRequest(this.#turns, this.owner, this.isMutation ? cost - weightOfWrite : cost, this);
    return this.#turn;
  }

  /** Turn of work before the cost is known. */
  turnBefore(weight: number): Promise<void> | null {
    return this.#turns.take(this.owner, weight, this);
  }

  /** Nobody waits for the response. */
  get isGone(): boolean {
    return this.http.clientAborted.aborted;
  }

  /** Whose work it is: a key's or, without one, an address's. */
  get owner(): string {
    return this.caller?.keyId ?? this.http.ip;
  }

  /** @param signal aborts when the result is no longer needed */
  contextOf(caller: Caller, signal: AbortSignal = this.http.clientAborted): RequestContext {
    const { turn, isSubscription } = this;
    this.#execution ??= { spent: nothingSpent(), reads: new ReadMemo(), printing: new Printing() };
    const { spent, reads, printing } = this.#execution;
    // Reads must not be handed over once a mutation has changed them.
    const isRead = !isSubscription && !this.isMutation;
    return {
      caller,
      requestId: this.http.id,
      spent,
      signal,
      turn,
      onEmitted: this.isMutation ? (eventId) => noteEvent(this.http.facts, eventId) : undefined,
      whenPrinted: isSubscription ? undefined : printing.whenPrinted,
      responses: isRead ? reads : undefined,
      generation: isRead ? this.cached?.generation : undefined,
    };
  }

  printed(): void {
    this.#execution?.reads.release();
    this.#execution?.printing.end();
  }
}
