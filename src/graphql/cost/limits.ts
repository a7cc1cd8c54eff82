/** The limits of one operation, and the error beyond them. */
import { ServiceError } from '../../kernel/errors.ts';

/** What a caller is told of the cost of an operation, in `extensions.cost`. */
export interface CostReport {
  /** Null for a document that was refused before it could be weighed. */
  readonly requestedCost: number | null;
  readonly limit: number;
}

/** The limits that a document must keep before it is even validated: each bounds the work of a later step. */
export const operationLimits = {
  /** Characters of a document. Comments are no tokens, but are read all the same. */
  characters: 262_144,
  /** Tokens of a document: about thirty times those of a query for every field of the schema. */
  tokens: 10_000,
  /** Brackets within brackets, of selections and of values. The parser and the validation descend into each of them. */
  nesting: 100,
  operations: 50,
  /** Fragments that lead on to one another. */
  fragmentNesting: 32,
  aliases: 200,
  /** Fields of the root type that are selected, under whatever names. */
  rootFields: 50,
  mutations: 20,
  /** Fields within fields. */
  depth: 16,
  /** Pairs of fields with the same name in the response, which the validation compares with one another. */
  comparisons: 100_000,
  /** Fields of all selections, with those of a fragment counted wherever it is spread. */
  selections: 10_000,
} as const;

/**
 * The largest cost of an introspection that is not prepared. Anybody may ask for one, without an API key and at any
 * rate. One type with everything that it has costs a third of this.
 */
export const maxIntrospectionCost = 24_000;

export type OperationLimit = keyof typeof operationLimits | 'entries' | 'cost';

/** What is limited, as the error says it. */
const nouns: Readonly<Record<OperationLimit, string>> = {
  characters: 'characters',
  tokens: 'tokens',
  nesting: 'levels of brackets',
  operations: 'operations',
  fragmentNesting: 'levels of fragments',
  aliases: 'aliases',
  rootFields: 'root fields',
  mutations: 'mutations',
  depth: 'levels of fields (its depth)',
  comparisons: 'pairs of fields with the same response name',
  selections: 'selected fields',
  entries: 'entries in the lists of its variables',
  cost: 'cost',
};

/** A document or operation that is beyond a limit. */
export class LimitError extends ServiceError {
  constructor(limit: OperationLimit, max: number, requested?: number) {
    super('limit_too_high', {
      detail:
        limit === 'cost'
          ? `The cost of the operation is ${requested}, and the limit is ${max}. Request fewer items or fields.`
          : `An operation can have at most ${max} ${nouns[limit]}${requested === undefined ? '' : `, but has ${requested}`}.`,
    });
  }
}

/** @throws LimitError if the operation has more than the limit */
export function requireWithin(limit: keyof typeof operationLimits, count: number): void {
  if (count > operationLimits[limit]) throw new LimitError(limit, operationLimits[limit], count);
}
