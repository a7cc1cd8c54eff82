/**
 * The short way of a query: from the body that was received to the bytes of the response, without the executor. It passes
 * the same gates in the same order as Yoga's way. Whatever it does not expect it leaves to that way, with the caller who
 * was admitted and the pages that were read, so that nothing is counted or fetched twice.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  print,
  validate,
  visit,
} from 'graphql';
import type { Admit } from '../../auth/admission.ts';
import { BoundedMap } from '../../bounded-map.ts';
import { ServiceError } from '../../errors.ts';
import { isShallow } from '../../json-limits.ts';
import type { CursorCodec } from '../../paging.ts';
import type { Ports } from '../../ports.ts';
import type { RequestContext } from '../../request-context.ts';
import { createSplicer } from '../../splice/splicer.ts';
import type { DocumentOf } from '../cost/documents.ts';
import { isIntrospection } from '../cost/introspection.ts';
import { chosenOperation, operationCost } from '../cost/operation-cost.ts';
import { listSourceOf } from '../list-source.ts';
import { schema } from '../schema.ts';
import { compileVariables, type ReadValues, type Values } from './arguments.ts';
import { contentTypeFor } from './media-type.ts';
import { type CompiledOperation, compileOperation } from './operation.ts';
import { NotCompiled } from './parts.ts';
import { Refused, runCompiled } from './run.ts';
import { createSend } from './send.ts';

export interface CompiledOptions {
  readonly ports: Ports;
  readonly admit: Admit;
  readonly cursors: CursorCodec;
  readonly documentOf: DocumentOf;
  readonly maxCost: number;
  /** Whether the schema can be read. */
  readonly introspection: boolean;
  readonly maxResponseBytes: number;
}

/** How the compiled way left a request. */
export type Outcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'left';
      /** Why, for the log line. */
      readonly reason: string;
      /** What was begun of the request: the caller, and the pages that were read. */
      readonly begun?: Promise<RequestContext>;
    };

/** Sends the response of a POST request, or leaves it. */
export type CompiledOperations = (request: FastifyRequest, reply: FastifyReply) => Promise<Outcome>;

/** What is known of an operation of a document, whatever the values of its variables. */
interface Known {
  /** Tells its plans and costs from those of others. */
  readonly id: number;
  readonly operation: OperationDefinitionNode;
  readonly valuesOf: ReadValues;
  /** The variables whose values decide what is selected. Each must have one. */
  readonly deciding: readonly string[];
  /** Those and the ones that may be the size of a page: the variables that decide the cost. */
  readonly weighing: readonly string[];
}

/**
 * How many are kept in all. Clients choose documents and values, so that there may be any number, and plans may be large
 * (see operation.ts).
 */
const keptPlans = 200;
const keptCosts = 4_000;

/** A response may be this much smaller in bytes than the estimate that its limit is about (see response-size.ts). */
const estimateFactor = 8;

/** What graphql-js' way says of a request, this way does not repeat: it leaves it. */
class Left extends Error {}

export function compiledOperations({
  ports,
  admit,
  cursors,
  documentOf,
  maxCost,
  introspection,
  maxResponseBytes,
}: CompiledOptions): CompiledOperations {
  const splicer = createSplicer();
  const send = createSend();
  /** By the documents that the cache holds, then by the names of their operations. */
  const known = new WeakMap<DocumentNode, Map<string | null, Known | string>>();
  let ids = 0;
  /** By the operation and the values of its deciding variables. A text says why there is no plan. */
  const plans = new BoundedMap<string, CompiledOperation | string>(keptPlans);
  /** By the operation and the values of its weighing variables. */
  const costs = new BoundedMap<string, number>(keptCosts);

  function lookUp(document: DocumentNode, operationName: string | null, variables: Values): Known {
    const operations = known.get(document) ?? new Map<string | null, Known | string>();
    known.set(document, operations);
    const operation = chosenOperation(document, operationName);
    // Not kept: there are any number of names that a document does not have.
    if (operation === undefined) throw new Left('no operation');
    const found = operations.get(operationName) ?? learn(document, operation, variables);
    operations.set(operationName, found);
    if (typeof found === 'string') throw new Left(found);
    return found;
  }

  /** @returns a text that says why the operation is always left */
  function learn(document: DocumentNode, operation: OperationDefinitionNode, variables: Values): Known | string {
    // It needs no key.
    if (isIntrospection(operation)) return 'introspection';
    if (!readsListsOnly(schema, ports, operation)) return 'more than lists of a service';
    const valuesOf = compileVariables(schema, operation);
    if (valuesOf === undefined) return 'variables';
    ids += 1;
    const made = { id: ids, operation, valuesOf, ...variablesThatMatter(document, operation) };
    // As in Yoga's way, nothing is validated that is too dear. Other values may be cheaper: this says nothing of those.
    requireCost(made, document, coerced(made, variables));
    if (validate(schema, document).length > 0) return 'invalid';
    // Also where another operation asks for it.
    const asksForSchema = () => validate(schema, document, [NoSchemaIntrospectionCustomRule]).length > 0;
    return !introspection && asksForSchema() ? 'introspection' : made;
  }

  function requireCost({ id, operation, weighing }: Known, document: DocumentNode, variables: Values): void {
    const key = keyOf(id, weighing, variables);
    const cost = costs.get(key) ?? operationCost(schema, document, operation, variables);
    costs.set(key, cost);
    if (cost > maxCost) throw new Left('cost');
  }

  function planFor({ id, operation, deciding }: Known, document: DocumentNode, variables: Values): CompiledOperation {
    const key = keyOf(id, deciding, variables);
    const plan = plans.get(key) ?? compiled(document, operation, variables);
    plans.set(key, plan);
    if (typeof plan === 'string') throw new Left(plan);
    return plan;
  }

  function compiled(document: DocumentNode, operation: OperationDefinitionNode, variables: Values) {
    try {
      return compileOperation(schema, ports, document, operation, variables);
    } catch (error) {
      if (error instanceof NotCompiled) return error.message;
      throw error;
    }
  }

  async function begin(request: FastifyRequest): Promise<RequestContext> {
    const caller = await admit(request);
    return { caller, requestId: request.id, signal: request.clientAborted, responses: new Map() };
  }

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    started: (begun: Promise<RequestContext>) => void,
  ) {
    const contentType = contentTypeFor(request.headers.accept);
    if (contentType === undefined || request.headers['graphql-cost'] !== undefined) throw new Left('headers');
    const { query, operationName, variables } = parametersOf(request.body);
    const document = documentOf(query);
    const operation = lookUp(document, operationName, variables);
    const values = coerced(operation, variables);
    requireCost(operation, document, values);
    const begun = begin(request);
    started(begun);
    const context = { ...(await begun), ports, cursors };
    const splice = await runCompiled(planFor(operation, document, values), values, context, splicer);
    if (splice.output().length * estimateFactor > maxResponseBytes) {
      splice.close();
      throw new Left('the response is large');
    }
    send(reply, contentType, splice);
  }

  return async (request, reply) => {
    let begun: Promise<RequestContext> | undefined;
    try {
      await serve(request, reply, (context) => {
        begun = context;
      });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: 'left', reason: reasonOf(error, request), ...(begun === undefined ? {} : { begun }) };
    }
  };
}

/** The parameters of a request that Yoga would accept, too. @throws Left for any other */
function parametersOf(body: unknown) {
  if (typeof body !== 'object' || body === null) throw new Left('no request');
  const {
    query,
    operationName = null,
    variables = null,
    extensions = null,
    ...others
  } = body as Record<string, unknown>;
  const isRequest =
    typeof query === 'string' &&
    (operationName === null || typeof operationName === 'string') &&
    typeof variables === 'object' &&
    !Array.isArray(variables) &&
    extensions === null &&
    Object.keys(others).length === 0 &&
    isShallow(body);
  if (!isRequest) throw new Left('parameters');
  return { query, operationName: operationName as string | null, variables: (variables ?? {}) as Values };
}

/** Whether all root fields may be lists that come as bytes. What a fragment hides is seen when the operation is compiled. */
function readsListsOnly(
  schema: GraphQLSchema,
  ports: Ports,
  { operation, selectionSet }: OperationDefinitionNode,
): boolean {
  if (operation !== OperationTypeNode.QUERY) return false;
  const fields = schema.getQueryType()?.getFields() ?? {};
  return selectionSet.selections.every((selection) => {
    if (selection.kind !== Kind.FIELD || selection.name.value === '__typename') return true;
    const field = fields[selection.name.value];
    return field !== undefined && listSourceOf(field)?.bytes(ports) !== undefined;
  });
}

/** The variables of an operation that decide what is selected, and those that decide the cost. */
function variablesThatMatter(document: DocumentNode, { variableDefinitions = [] }: OperationDefinitionNode) {
  const inDirectives = new Set<string>();
  visit(document, {
    Directive({ arguments: given = [] }) {
      for (const { value } of given) if (value.kind === Kind.VARIABLE) inDirectives.add(value.name.value);
    },
  });
  const names = (types: readonly string[]) =>
    variableDefinitions.flatMap(({ variable, type }) =>
      types.includes(print(type).replace('!', '')) ? variable.name.value : [],
    );
  // Another operation may have a variable of the same name and another type.
  const deciding = names(['Boolean']).filter((name) => inDirectives.has(name));
  return { deciding, weighing: [...deciding, ...names(['Int'])] };
}

const keyOf = (id: number, names: readonly string[], values: Values): string =>
  `${id} ${JSON.stringify(names.map((name) => values[name]))}`;

/** @throws Left for values that do not fit: graphql-js says why */
function coerced({ valuesOf, deciding }: Known, sent: Values): Values {
  const values = valuesOf(sent);
  // A directive without a value is an error where it stands.
  if (values === undefined || deciding.some((name) => typeof values[name] !== 'boolean')) throw new Left('variables');
  return values;
}

function reasonOf(error: unknown, { log }: FastifyRequest): string {
  if (error instanceof Left || error instanceof Refused) return error.message;
  if (error instanceof ServiceError) return error.type;
  if (error instanceof GraphQLError) return 'invalid';
  log.warn({ err: error }, 'a compiled operation failed, and is executed by graphql-js');
  return 'failed';
}
