/**
 * The differential test: generated operations over generated pages, executed compiled, by resolvers and by graphql-js. What is printed
 * must be what graphql-js gives, byte for byte; and of pages that are well-formed nearly all must be printed, so that
 * leaving cannot hide a kernel that does nothing.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  parse,
  validate,
} from 'graphql';
import { createLoaders } from '../../src/capabilities/loaders.ts';
import { webhookListScope } from '../../src/capabilities/webhooks/filter.ts';
import { compileOperation } from '../../src/graphql/executors/compiled/operation.ts';
import { type EncodedOperation, encodeOperation } from '../../src/graphql/executors/compiled/plans.ts';
import { runCompiled } from '../../src/graphql/executors/compiled/run.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import { execute as executeByResolvers } from '../../src/graphql/executors/resolving/execute.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { nothingSpent, type RequestContext } from '../../src/kernel/request-context.ts';
import { createSplicer } from '../../src/splice/splicer.ts';
import { type GeneratedOperation, generateOperation, serviceRoots } from '../support/list-operations.ts';
import { type GeneratedPage, generatePage, type ListName, wellFormedKinds } from '../support/list-pages.ts';
import { listsReader, testCursors } from '../support/lists-reader.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { schema } from '../support/schema.ts';
import { portsOfBodies, servicePorts } from '../support/service-ports.ts';

const splicer = createSplicer();

export interface Tally {
  pairs: number;
  compiled: number;
  /**
   * Pairs of which every page is one that the contract allows, and graphql-js has no errors; with a caller who gets all of
   * it, and an operation that leaves nothing to resolvers.
   */
  wellFormed: number;
  wellFormedCompiled: number;
  /** Those of them that have lists within lists. */
  nested: number;
  nestedCompiled: number;
  /** How often pairs were left to graphql-js, by the reason. */
  readonly left: Map<string, number>;
}

/** The authors whose lists the generated operations read. Each has a page. */
const authors = ['ACo1', 'ACo2', '12345'];

const accountId = 'acc-1';

/** Cursors that the operations continue after: of the first page and of another one. */
function cursorOf(author: string | undefined, random: Random): string {
  const { workspaceId, keyId } = listsReader;
  const list =
    author === undefined ? ['webhooks', keyId, ...webhookListScope({})] : ['posts', accountId, author, false];
  return testCursors.seal([workspaceId, ...list], [random.pick([null, 'next']), random.pick([0, 0, 1, 2, 5])]);
}

/** Who gets less than the service sends. */
const lesserCallers: readonly Caller[] = [
  { ...listsReader, scopes: new Set(['posts:read', 'webhooks:read']) },
  { ...listsReader, accountIds: new Set([accountId, 'ACo1', 'ACo2']) },
];

/** An operation is tried with several pages: compiling it is dearer than running it. */
const pagesPerOperation = 10;

/** Between the seeds of operations, so that the seeds of their pages are different ones. */
const seedStep = 1_000;

export const newTally = (): Tally => ({
  pairs: 0,
  compiled: 0,
  wellFormed: 0,
  wellFormedCompiled: 0,
  nested: 0,
  nestedCompiled: 0,
  left: new Map(),
});

/**
 * @param seed any integer. That of a failure repeats its operation first
 * @throws Error for a difference
 */
export async function runDifferential(seed: number, pairs: number, compiledSchema = schema): Promise<Tally> {
  const tally = newTally();
  for (let operationSeed = seed; tally.pairs < pairs; operationSeed += seedStep) {
    const operation = prepare(generatedOperation(operationSeed), operationSeed, compiledSchema);
    for (let page = 1; page <= pagesPerOperation; page += 1) await compare(operation, operationSeed + page, tally);
  }
  return tally;
}

export function generatedOperation(seed: number): GeneratedOperation {
  const random = seededRandom(seed);
  const roots = serviceRoots({ authors, accountId, cursorOf: (author) => cursorOf(author, random) });
  return generateOperation(schema, random, { roots, ports: servicePorts });
}

/** How many were compiled, and how many were left and why, in one line. */
export function summaryOf(tally: Tally): string {
  const { pairs, compiled, wellFormed, wellFormedCompiled, nested, nestedCompiled, left } = tally;
  const reasons = [...left]
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ');
  return `${pairs} pairs: ${compiled} compiled (${wellFormedCompiled} of ${wellFormed} well-formed, ${nestedCompiled} of ${nested} nested), left: ${reasons}`;
}

interface PreparedOperation extends GeneratedOperation {
  /** For repeating. */
  readonly seed: number;
  readonly document: DocumentNode;
  /** The variables, coerced. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly plan: EncodedOperation | Declined;
}

function prepare(operation: GeneratedOperation, seed: number, compiledSchema: GraphQLSchema): PreparedOperation {
  const { query, operationName, variables } = operation;
  const document = parse(query);
  const errors = validate(schema, document);
  if (errors.length > 0) throw new Error(`Seed ${seed}: ${errors.join('\n')}\n${query}`);
  const chosen = getOperationAST(document, operationName);
  if (!chosen) throw new Error(`Seed ${seed}: the document has no operation ${operationName}`);
  const { coerced } = getVariableValues(schema, chosen.variableDefinitions ?? [], variables);
  if (coerced === undefined) throw new Error(`Seed ${seed}: the variables do not fit`);
  try {
    const plan = encodeOperation(compileOperation(compiledSchema, servicePorts, document, chosen, coerced));
    return { ...operation, seed, document, values: coerced, plan };
  } catch (plan) {
    if (plan instanceof Declined) return { ...operation, seed, document, values: coerced, plan };
    throw new Error(`Seed ${seed}: compiling failed`, { cause: plan });
  }
}

async function compare(operation: PreparedOperation, pageSeed: number, tally: Tally): Promise<void> {
  const random = seededRandom(pageSeed);
  // Lists within lists read many pages: if any might be odd, few pairs would be well-formed.
  const kinds = random.chance(0.3) ? wellFormedKinds : undefined;
  const pages = new Map<string, GeneratedPage>();
  let calls: string[] = [];
  const caller = random.chance(0.1) ? random.pick(lesserCallers) : listsReader;
  const ports = portsOfBodies((request, { capability }) => {
    const list = JSON.stringify(Object.entries(request).sort());
    calls.push(list);
    const page = pages.get(list) ?? generatePage(random, capability as ListName, request, kinds);
    pages.set(list, page);
    return page.body;
  });
  const { signal } = new AbortController();
  const context: RequestContext = { caller, requestId: 'request', spent: nothingSpent(), signal };
  const outcome = await compiledResponse(operation, { ...context, ports, cursors: testCursors });
  await lateCalls();
  const callsOfCompiled = calls;
  calls = [];
  const expected = await responseOfGraphQL(operation, ports, context);
  await lateCalls();
  const callsOfGraphQL = calls;
  calls = [];
  await requireSameOfResolvers(operation, ports, context, expected);
  await lateCalls();
  if (calls.join('\n') !== callsOfGraphQL.join('\n'))
    throw new Error(`Seed ${operation.seed}: resolvers make the calls ${calls} and not ${callsOfGraphQL}`);

  tally.pairs += 1;
  const used = [...pages.values()];
  // Where nothing was read, as everything is skipped, there is nothing to compile.
  const isAllowed = used.length > 0 && used.every((page) => page.wellFormed) && expected.errors === undefined;
  const wellFormed = isAllowed && operation.isCompiled && caller === listsReader;
  const isNested = wellFormed && operation.isNested;
  if (wellFormed) tally.wellFormed += 1;
  if (isNested) tally.nested += 1;
  // What was left goes on with the pages that were read.
  const needless = callsOfCompiled.filter((call) => !calls.includes(call));
  if (needless.length > 0) throw new Error(`Seed ${operation.seed}: nobody else makes the calls ${needless}`);
  if (typeof outcome !== 'string') {
    tally.left.set(outcome.reason, (tally.left.get(outcome.reason) ?? 0) + 1);
    return;
  }
  tally.compiled += 1;
  if (wellFormed) tally.wellFormedCompiled += 1;
  if (isNested) tally.nestedCompiled += 1;
  const wanted = JSON.stringify(expected);
  if (outcome === wanted && callsOfCompiled.join('\n') === calls.join('\n')) return;
  const bodies = used.map(({ body }) => body.toString('latin1')).join('\n');
  const { seed, query, variables } = operation;
  throw new Error(
    `Seed ${seed}: the compiled response differs.\n${query}\n${JSON.stringify(variables)}\n${bodies}\ncompiled ${outcome}\nexpected ${wanted}\ncalls ${callsOfCompiled}\nexpected ${calls}`,
  );
}

/**
 * An execution that a failed field ends early leaves its other fields running: what they ask for belongs to it,
 * and not to the next one.
 */
const lateCalls = (): Promise<void> => setImmediate();

/** @returns the response, or why there is none */
async function compiledResponse(
  { plan, values, seed }: PreparedOperation,
  context: Parameters<typeof runCompiled>[2],
): Promise<string | { readonly reason: string }> {
  if (plan instanceof Declined) return { reason: plan.reason };
  try {
    const splice = await runCompiled(plan, values, context, splicer);
    const response = Buffer.from(splice.output()).toString();
    splice.close();
    return response;
  } catch (error) {
    if (error instanceof Declined) return { reason: error.reason };
    if (error instanceof ServiceError || error instanceof GraphQLError) return { reason: error.name };
    throw new Error(`Seed ${seed}: the compiled way failed`, { cause: error });
  }
}

async function responseOfGraphQL(
  { document, operationName, variables }: PreparedOperation,
  ports: Ports,
  context: RequestContext,
) {
  const contextValue = { ...context, ports, cursors: testCursors, loaders: createLoaders(ports, context) };
  const { data, errors } = await execute({ schema, document, contextValue, variableValues: variables, operationName });
  return errors === undefined ? { data } : { data, errors };
}

/** As the gateway executes what it does not compile. The texts of errors that graphql-js makes reach no client. */
async function requireSameOfResolvers(
  { seed, query, document, operationName, values }: PreparedOperation,
  ports: Ports,
  context: RequestContext,
  expected: ExecutionResult,
): Promise<void> {
  const operation = getOperationAST(document, operationName);
  if (!operation) throw new Error(`Seed ${seed}: the document has no operation ${operationName}`);
  const ofOperation = { ...context, ports, cursors: testCursors, loaders: createLoaders(ports, context) };
  const result = await executeByResolvers({ schema, document, operation, values, context: ofOperation });
  const [own, wanted] = [result, expected].map(({ data, errors = [] }) =>
    JSON.stringify({ data, errors: errors.map(({ path, locations }) => JSON.stringify({ path, locations })).sort() }),
  );
  if (own !== wanted) throw new Error(`Seed ${seed}: resolvers differ.\n${query}\nown ${own}\nexpected ${wanted}`);
}

export const randomSeed = (): number => randomBytes(4).readInt32LE();
