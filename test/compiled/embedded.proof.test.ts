/** Compiled operations against graphql-js in embedded mode: generated operations over a database of each kind. */
import { execute, getOperationAST, getVariableValues, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLoaders } from '../../src/capabilities/loaders.ts';
import { compileOperation } from '../../src/graphql/executors/compiled/operation.ts';
import { encodeOperation } from '../../src/graphql/executors/compiled/plans.ts';
import { runCompiled } from '../../src/graphql/executors/compiled/run.ts';
import { Declined } from '../../src/graphql/executors/declined.ts';
import { execute as executeByResolvers } from '../../src/graphql/executors/resolving/execute.ts';
import type { Caller } from '../../src/kernel/caller.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { ReadMemo } from '../../src/kernel/request-context.ts';
import { createSplicer } from '../../src/splice/splicer.ts';
import { databases, type TestDatabase } from '../support/databases.ts';
import { callerOf, contextFor, type EmbeddedLists, fillEmbeddedLists } from '../support/embedded-lists.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type GeneratedOperation, generateOperation } from '../support/list-operations.ts';
import { testCursors } from '../support/lists-reader.ts';
import { seededRandom } from '../support/random.ts';
import { schema } from '../support/schema.ts';
import { randomSeed } from './differential.ts';

const splicer = createSplicer();

describe.each(databases)('on $name', ({ withSchema }) => {
  let database: TestDatabase;
  let gateway: Gateway;
  let lists: EmbeddedLists;
  let callers: readonly Caller[];

  beforeAll(async () => {
    database = await withSchema();
    // Nothing is sent: a delivery would change between the two responses that are compared.
    gateway = await startGateway({
      environment: { DATABASE_URL: database.url },
      delivery: { limits: { slots: 0 } },
    });
    const workspace = await gateway.workspace();
    lists = await fillEmbeddedLists(gateway, workspace);
    callers = [
      callerOf(workspace.workspaceId),
      callerOf(workspace.workspaceId, { accountIds: new Set(lists.accounts.slice(1, 2)) }),
      callerOf(workspace.workspaceId, { scopes: new Set(['posts:read', 'webhooks:read']) }),
    ];
  });
  afterAll(async () => {
    await gateway.close();
    await database.drop();
  });

  /** @returns the response, or why it is left to resolvers */
  async function compiledResponse(
    { query, operationName, variables }: GeneratedOperation,
    caller: Caller,
    given = { ...contextFor(caller), responses: new ReadMemo() },
  ): Promise<string | { readonly reason: string }> {
    const { ports } = gateway.app;
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
    if (!operation || coerced === undefined) throw new Error(`A wrong operation: ${query}`);
    const context = { ...given, ports, cursors: testCursors };
    try {
      const plan = encodeOperation(compileOperation(schema, ports, document, operation, coerced));
      const splice = await runCompiled(plan, coerced, context, splicer);
      const response = Buffer.from(splice.output()).toString();
      splice.close();
      return response;
    } catch (error) {
      if (error instanceof Declined) return { reason: error.reason };
      if (error instanceof ServiceError) return { reason: error.type };
      throw error;
    }
  }

  async function responsesOfResolvers({ query, operationName, variables }: GeneratedOperation, caller: Caller) {
    const { ports } = gateway.app;
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const contextFresh = () => {
      const context = contextFor(caller);
      return { ...context, ports, cursors: testCursors, loaders: createLoaders(ports, context) };
    };
    const ofGraphQL = await execute({
      ...{ schema, document, operationName, variableValues: variables, contextValue: contextFresh() },
    });
    const operation = getOperationAST(document, operationName);
    const { coerced: values } = getVariableValues(schema, operation?.variableDefinitions ?? [], variables);
    if (!operation || values === undefined) throw new Error(`A wrong operation: ${query}`);
    const own = await executeByResolvers({ schema, document, operation, values, context: contextFresh() });
    return { ofGraphQL, own };
  }

  test.each([
    ['the same operations in every run', 20_261_125, 100, 0.95],
    // Of so few, more may be left.
    ['other operations in every run', randomSeed(), 100, 0.8],
  ])('%s print what graphql-js gives, byte for byte (seed %i)', async (_what, seed, count, least) => {
    const tally = { printed: 0, expected: 0, expectedPrinted: 0 };
    const left = new Map<string, number>();
    for (let at = seed; at < seed + count; at += 1) {
      const random = seededRandom(at);
      const { ports } = gateway.app;
      const operation = generateOperation(schema, random, { roots: lists.roots, ports });
      const caller = random.chance(0.7) ? (callers[0] as Caller) : random.pick(callers);
      const printed = await compiledResponse(operation, caller);
      const { ofGraphQL, own } = await responsesOfResolvers(operation, caller);
      const { data, errors } = ofGraphQL;
      const wanted = JSON.stringify({ data });
      const what = `Seed ${at}: ${operation.query}\n${JSON.stringify(operation.variables)}`;
      expect(JSON.stringify({ data: own.data }), what).toBe(wanted);
      if (typeof printed === 'string') {
        expect(errors, what).toBeUndefined();
        expect(printed, what).toBe(wanted);
        tally.printed += 1;
      } else left.set(printed.reason, (left.get(printed.reason) ?? 0) + 1);
      const isSkipped = typeof printed !== 'string' && printed.reason === 'nothing is read';
      if (!operation.isCompiled || errors !== undefined || isSkipped) continue;
      tally.expected += 1;
      if (typeof printed === 'string') tally.expectedPrinted += 1;
    }
    process.stdout.write(`${JSON.stringify(tally)} ${JSON.stringify(Object.fromEntries(left))}\n`);
    expect(tally.expected).toBeGreaterThan(0.4 * count);
    expect(tally.expectedPrinted).toBeGreaterThanOrEqual(least * tally.expected);
  });

  test.each([
    ['jobPostings', 'jobPostings'],
    ['webhooks', 'webhooks'],
    ['deliveries', 'deliveries(orderBy: CREATED_AT_DESC)'],
  ])('the cursor of a list does not depend on what else is selected: %s', async (_name, list) => {
    const sized = (first: number) =>
      `${list.includes('(') ? list.replace(')', `, first: ${first})`) : `${list}(first: ${first})`} { pageInfo { endCursor } }`;
    const ask = async (query: string) => {
      const printed = await compiledResponse(
        { query, operationName: undefined, variables: {}, isNested: false, isCompiled: true },
        callers[0] as Caller,
      );
      return JSON.parse(printed as string).data;
    };
    const { a: alone } = await ask(`{ a: ${sized(5)} }`);
    const { a: beside } = await ask(`{ a: ${sized(5)} b: ${sized(50)} }`);
    expect(beside).toEqual(alone);
  });

  test('a posting with a large description is read by resolvers, once', async () => {
    const { workspaceId } = callers[0] as Caller;
    const fields = JSON.stringify({ description: 'x'.repeat(10_000) });
    const [job] = await gateway.app.database
      .selectFrom('jobs')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .execute();
    if (job === undefined) throw new Error('There is no job');
    await gateway.app.database.updateTable('jobs').set({ fields }).where('id', '=', job.id).execute();
    const operation = {
      query: '{ jobPostings(first: 100) { nodes { jobId description } } }',
      ...{ operationName: undefined, variables: {}, isNested: false, isCompiled: true },
    };
    const { ports, database } = gateway.app;
    const caller = callers[0] as Caller;
    // Nothing is given back before the response is printed.
    const request = { ...contextFor(caller), responses: new ReadMemo(), whenPrinted: () => undefined };
    expect(await compiledResponse(operation, caller, request)).toEqual({
      reason: 'parts of items are read by themselves',
    });
    const context = { ...request, ports, cursors: testCursors, loaders: createLoaders(ports, request) };
    const document = parse(operation.query);
    const { data, errors } = await execute({ schema, document, contextValue: context });
    expect(errors).toBeUndefined();
    expect(JSON.stringify(data)).toContain('x'.repeat(10_000));
    const stored = await database.selectFrom('jobs').select('fields').where('workspace_id', '=', workspaceId).execute();
    const bytes = stored.reduce((sum, row) => sum + Buffer.byteLength(row.fields), 0);
    // Postgres writes entries of a content with two spaces. Read twice, the small contents would be thousands.
    expect(request.spent.readBytes).toBeLessThan(bytes + 100);
    await gateway.app.database.updateTable('jobs').set({ fields: job.fields }).where('id', '=', job.id).execute();
  });
});
