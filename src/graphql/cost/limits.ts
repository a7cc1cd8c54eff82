import { ServiceError } from '../../kernel/errors.ts';

export interface CostReport {
  /** Null for a document that was refused before it was weighed. */
  readonly requestedCost: number | null;
  readonly limit: number;
}

/** Limits that a document must keep before it is validated: each bounds the work of a later step. */
export const operationLimits = {
  /** Comments are no tokens, but are read too. */
  characters: 262_144,
  /** Thirty times those of a query for every field of the schema. */
  tokens: 10_000,
  /** Depth of brackets in selections and values: parser and validation recurse into each. */
  nesting: 100,
  operations: 50,
  /** Depth of fragments in fragments. */
  fragmentNesting: 32,
  aliases: 200,
  /** Selected, under whatever names. */
  rootFields: 50,
  mutations: 20,
  /** Depth of fields in fields. */
  depth: 16,
  /** Pairs of fields with one response name, which the validation compares. */
  comparisons: 100_000,
  /** Fields of all selections, those of a fragment per spread. */
  selections: 10_000,
} as const;

/** Needs no API key, so that anybody may ask for as much. One type with everything that it has costs a third. */
export const maxIntrospectionCost = 24_000;

type OperationLimit = keyof typeof operationLimits | 'cost';

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
  cost: 'cost',
};

const fewer = 'Request fewer items or fields: a list without `first` counts as its default of 50 or 100 items.';

export class LimitError extends ServiceError {
  /** @param hint a sentence on what to do instead */
  constructor(limit: OperationLimit, max: number, requested?: number, hint = fewer) {
    super('limit_too_high', {
      detail:
        limit === 'cost'
          ? `The cost of the operation is ${requested}, and the limit is ${max}. ${hint}`
          : `An operation can have at most ${max} ${nouns[limit]}${requested === undefined ? '' : `, but has ${requested}`}.`,
    });
  }
}

export function requireWithin(limit: keyof typeof operationLimits, count: number): void {
  if (count > operationLimits[limit]) throw new LimitError(limit, operationLimits[limit], count);
}
