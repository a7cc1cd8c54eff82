import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Admission } from '../../auth/admission.ts';
import { ServiceError } from '../../errors.ts';
import type { IncomingRequest } from '../../http/incoming-request.ts';
import type { DocumentOf } from '../cost/documents.ts';
import { isIntrospection, preparedIntrospection } from '../cost/introspection.ts';
import { type CostReport, LimitError, maxIntrospectionCost } from '../cost/limits.ts';
import { chosenOperation, operationCost } from '../cost/operation-cost.ts';
import { type Incoming, requireCounted } from '../graphql-context.ts';
import { operationFacts } from '../operation-facts.ts';

export interface LimitOptions extends Pick<Admission, 'admitKeyless'> {
  readonly schema: GraphQLSchema;
  /** The largest cost of an operation. */
  readonly maxCost: number;
  /** Whether the schema can be read. */
  readonly introspection: boolean;
  readonly documentOf: DocumentOf;
}

/** What a prepared introspection costs. A microsecond puts together about this many characters of it. */
const preparedCost = (response: string): number => Math.ceil(response.length / 64);

/** The header with which a client asks for the cost of its operation, as Hot Chocolate has it: `GraphQL-Cost: report`. */
const wantsCost = ({ headers }: IncomingRequest): boolean => headers['graphql-cost'] === 'report';

/**
 * Refuses an operation that is beyond a limit, before it is validated. The validation itself can take minutes for a
 * document that is made for it, and a response that is too large is too late to refuse.
 */
export function useOperationLimits({
  schema,
  maxCost,
  introspection,
  documentOf,
  admitKeyless,
}: LimitOptions): Plugin<object, Incoming> {
  const introspect = introspection ? preparedIntrospection(schema) : null;
  const reports = new WeakMap<IncomingRequest, CostReport>();

  return {
    async onParams({ params: { query, operationName, variables }, context, setResult }) {
      const { http } = context;
      // First of all: what is refused takes time as well, and never comes where callers are identified.
      await requireCounted(context, { admitKeyless });
      // Yoga refuses what is no request of GraphQL, in the next step.
      if (typeof query !== 'string' || query === '') return;
      const report = (requestedCost: number | null, limit = maxCost) => reports.set(http, { requestedCost, limit });
      report(null);
      const document = parsed(() => documentOf(query));
      const operation = document && chosenOperation(document, operationName);
      if (document === null || !operation) return;
      Object.assign(http.facts, operationFacts(operation, query));
      if (!introspection) requireNoIntrospection(schema, document);
      const response = introspect?.(document, operation) ?? null;
      if (response !== null) {
        report(preparedCost(response));
        return setResult(prepared(response));
      }
      const cost = operationCost(schema, document, operation, variables);
      const limit = isIntrospection(operation) ? Math.min(maxCost, maxIntrospectionCost) : maxCost;
      report(cost, limit);
      http.facts.cost = cost;
      if (cost > limit) throw new LimitError('cost', limit, cost);
    },
    onParse: ({ setParseFn }) => setParseFn((text: string) => documentOf(text)),
    onResultProcess({ result, setResult, serverContext: { http } }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result) return;
      // What is refused before its document is read has no report.
      const cost = reports.get(http) ?? { requestedCost: null, limit: maxCost };
      setResult(withCost(result, cost, wantsCost(http)));
    },
  };
}

/** The document; null for one that is not GraphQL, which Yoga reports when it parses it. @throws LimitError */
function parsed(parse: () => DocumentNode): DocumentNode | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

/** @throws GraphQLError for a document that asks for the schema */
function requireNoIntrospection(schema: GraphQLSchema, document: DocumentNode): void {
  const [refused] = validate(schema, document, [NoSchemaIntrospectionCustomRule]);
  if (refused !== undefined) throw refused;
}

/** A response that is serialized already. */
function prepared(response: string): ExecutionResult & { stringify: (result: ExecutionResult) => string } {
  const stringify = ({ extensions }: ExecutionResult) =>
    extensions === undefined ? response : `${response.slice(0, -1)},"extensions":${JSON.stringify(extensions)}}`;
  return { data: {}, stringify };
}

/** A result that says what its operation costs: if it was refused for a limit, or if that is wanted. */
export function withCost(result: ExecutionResult, cost: CostReport, isWanted: boolean): ExecutionResult {
  const refusal = refusalIn(result);
  if (refusal !== undefined) refusal.extensions.cost = cost;
  else if (!isWanted) return result;
  return { ...result, extensions: { ...result.extensions, cost } };
}

/** The error of an operation that was refused as a whole for a limit. */
const refusalIn = ({ errors = [], data }: ExecutionResult): GraphQLError | undefined =>
  data === undefined ? errors.find(({ extensions }) => extensions.type === limitError.type) : undefined;

const limitError = new ServiceError('limit_too_high');
