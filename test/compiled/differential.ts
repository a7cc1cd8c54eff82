/**
 * The differential test: generated operations over generated pages, executed compiled and by graphql-js. What is printed
 * must be what graphql-js gives, byte for byte; and of pages that are well-formed nearly all must be printed, so that
 * leaving cannot hide a kernel that does nothing.
 */
import { randomBytes } from 'node:crypto';
import { execute, parse, validate } from 'graphql';
import type { Caller } from '../../src/auth/caller.ts';
import { compileOperation } from '../../src/graphql/compiled/operation.ts';
import { NotCompiled } from '../../src/graphql/compiled/parts.ts';
import { Refused, runCompiled } from '../../src/graphql/compiled/run.ts';
import { chosenOperation } from '../../src/graphql/cost/operation-cost.ts';
import { createLoaders } from '../../src/graphql/loaders.ts';
import { schema } from '../../src/graphql/schema.ts';
import { cursorCodec } from '../../src/paging.ts';
import type { Ports } from '../../src/ports.ts';
import type { PostListRequest } from '../../src/posts/shapes.ts';
import { upstreamPosts } from '../../src/posts/upstream.ts';
import type { RequestContext } from '../../src/request-context.ts';
import { createSplicer, type Splicer } from '../../src/splice/splicer.ts';
import { type GeneratedOperation, generateOperation } from '../support/list-operations.ts';
import { type GeneratedPage, generatePage } from '../support/post-pages.ts';
import { type Random, seededRandom } from '../support/random.ts';
import { upstreamOfBodies } from '../support/upstream-of-bodies.ts';

export interface Tally {
  pairs: number;
  compiled: number;
  wellFormed: number;
  wellFormedCompiled: number;
  /** How often pairs were left to graphql-js, by the reason. */
  readonly left: Map<string, number>;
}

const caller: Caller = {
  keyId: 'key',
  keyName: 'key',
  workspaceId: 'workspace',
  workspaceName: 'workspace',
  scopes: new Set(['posts:read']),
  accountIds: null,
  expiresAt: null,
};
const cursors = cursorCodec(Buffer.alloc(32, 7), 'base64url');

/** The authors whose lists the generated operations read. Each has a page. */
const authors = ['ACo1', 'ACo2', '12345'];

const accountId = 'acc-1';

/** Cursors that the operations continue after: of the first page and of another one. */
const cursorOf = (author: string, random: Random): string =>
  cursors.seal(
    [caller.workspaceId, 'posts', accountId, author, false],
    [random.pick([null, 'next']), random.pick([0, 0, 1, 2, 5])],
  );

export async function runDifferential(
  { seed, pairs }: { readonly seed: number; readonly pairs: number },
  splicer: Splicer = createSplicer(),
): Promise<Tally> {
  const tally: Tally = { pairs: 0, compiled: 0, wellFormed: 0, wellFormedCompiled: 0, left: new Map() };
  // An operation is tried with several pages: compiling it is dearer than running it.
  const pagesPerOperation = 8;
  for (let index = 0; tally.pairs < pairs; index += 1) {
    const operationSeed = seed + index * 1_000;
    const random = seededRandom(operationSeed);
    const operation = generateOperation(schema, random, {
      authors,
      accountId,
      cursorOf: (author) => cursorOf(author, random),
    });
    const document = parse(operation.query);
    const errors = validate(schema, document);
    if (errors.length > 0) throw new Error(`${errors.join('\n')}\n${operation.query}`);
    for (let page = 0; page < pagesPerOperation; page += 1) {
      const pageSeed = operationSeed + page + 1;
      await compare({ operation, document, random: seededRandom(pageSeed), seed: pageSeed }, splicer, tally);
    }
  }
  return tally;
}

interface Pair {
  readonly operation: GeneratedOperation;
  readonly document: ReturnType<typeof parse>;
  readonly random: Random;
  readonly seed: number;
}

async function compare({ operation, document, random, seed }: Pair, splicer: Splicer, tally: Tally): Promise<void> {
  const pages = new Map<string, GeneratedPage>();
  const posts = upstreamPosts(
    upstreamOfBodies((request) => {
      const list = JSON.stringify(Object.entries(request).sort());
      const page = pages.get(list) ?? generatePage(random, request as PostListRequest);
      pages.set(list, page);
      return page.body;
    }),
  );
  // Nothing but posts is read.
  const ports = { posts, serviceJudges: true } as unknown as Ports;
  const context = (): RequestContext => ({ caller, requestId: 'request', signal: new AbortController().signal });
  const outcome = await compiled(operation, document, { ports, cursors, ...context() }, splicer);
  const expected = await byGraphQL(operation, document, ports, context());

  tally.pairs += 1;
  const used = [...pages.values()];
  // Where nothing was read, as everything is skipped, there is nothing to compile.
  const wellFormed = used.length > 0 && used.every((page) => page.wellFormed) && expected.errors === undefined;
  if (wellFormed) tally.wellFormed += 1;
  if (outcome instanceof Error) {
    const reason = outcome instanceof Refused || outcome instanceof NotCompiled ? outcome.message : outcome.name;
    tally.left.set(reason, (tally.left.get(reason) ?? 0) + 1);
    return;
  }
  tally.compiled += 1;
  if (wellFormed) tally.wellFormedCompiled += 1;
  const wanted = JSON.stringify(expected);
  if (outcome === wanted) return;
  const bodies = used.map(({ body }) => body.toString('latin1')).join('\n');
  throw new Error(
    `Seed ${seed}: the compiled response differs.\n${operation.query}\n${JSON.stringify(operation.variables)}\n${bodies}\ncompiled ${outcome}\nexpected ${wanted}`,
  );
}

async function compiled(
  { operationName, variables }: GeneratedOperation,
  document: Pair['document'],
  context: Parameters<typeof runCompiled>[2],
  splicer: Splicer,
): Promise<string | Error> {
  const operation = chosenOperation(document, operationName);
  if (operation === undefined) throw new Error('The document has no such operation');
  try {
    const values = Object.fromEntries(
      (operation.variableDefinitions ?? []).map(({ variable: { name }, defaultValue }) => [
        name.value,
        variables[name.value] ?? (defaultValue && 'value' in defaultValue ? literal(defaultValue) : undefined),
      ]),
    );
    const plan = compileOperation(schema, context.ports, document, operation, values);
    const splice = await runCompiled(plan, values, context, splicer);
    const response = Buffer.from(splice.output()).toString();
    splice.close();
    return response;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const literal = (node: { readonly kind: string; readonly value: unknown }): unknown =>
  node.kind === 'IntValue' ? Number(node.value) : node.value;

async function byGraphQL(
  { operationName, variables }: GeneratedOperation,
  document: Pair['document'],
  ports: Ports,
  context: RequestContext,
) {
  const contextValue = { ...context, ports, cursors, loaders: createLoaders(ports, context) };
  const { data, errors } = await execute({ schema, document, contextValue, variableValues: variables, operationName });
  return errors === undefined ? { data } : { data, errors };
}

export const randomSeed = (): number => randomBytes(4).readInt32LE();
