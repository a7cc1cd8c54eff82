/** Prints lists out of a service's bytes, without resolvers. */
import type { Logger } from 'pino';
import { ServiceError } from '../../../kernel/errors.ts';
import { weightOfBytes } from '../../../kernel/lib/fair-turns.ts';
import type { PageSource } from '../../../kernel/page-source.ts';
import { limitAt, longestPages, type Page, type Window, windowOfPage } from '../../../kernel/paging.ts';
import { bytesOf } from '../../../kernel/wire-response.ts';
import { createSplicer, type Refusal, type Scanned, type Splice, type Splicer } from '../../../splice/splicer.ts';
import type { Values } from '../../documents/variables.ts';
import type { Exchange, Executor } from '../../exchange.ts';
import type { GraphQLContext } from '../../graphql-context.ts';
import { type Connection, openConnection } from '../../kit/connection.ts';
import type { AnyListSource } from '../../kit/list-source.ts';
import { Declined } from '../declined.ts';
import type { CompiledRoot } from './operation.ts';
import type { EncodedOperation, Plans } from './plans.ts';
import type { ReadMetadata } from './readers.ts';

export interface CompiledOptions extends Pick<GraphQLContext, 'ports' | 'cursors'> {
  readonly maxResponseBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The limit's estimate (see response-size.ts) is at most this many times the response's bytes. */
const estimateFactor = 8;

/** Leaves surprises and failures to graphql-js, with the pages read: it finds the errors, and the exact size. */
export const compiled = ({ ports, cursors, maxResponseBytes, logger }: CompiledOptions): Executor => {
  let splicer: Splicer | undefined;

  function run(plans: Plans, exchange: Exchange): Promise<Splice> {
    const { caller, values } = exchange;
    if (caller === null) throw new Declined('no key');
    const plan = plans.planFor(values);
    if (plan instanceof Declined) throw plan;
    splicer ??= createSplicer({ maxOutput: Math.floor(maxResponseBytes / estimateFactor) });
    return runCompiled(plan, values, { ...exchange.contextOf(caller), ports, cursors }, splicer);
  }

  return async (exchange) => {
    const { plans } = exchange.operation;
    if (plans === null) return new Declined('compiling is off');
    const { facts } = exchange.http;
    try {
      if (plans instanceof Declined) throw plans;
      const splice = await run(plans, exchange);
      facts.compiled = 'yes';
      return { splice };
    } catch (error) {
      const declined = declinedBy(error, logger);
      facts.compiled = declined.reason;
      return declined;
    }
  };
};

function declinedBy(error: unknown, logger: Pick<Logger, 'warn'>): Declined {
  if (error instanceof Declined) return error;
  if (error instanceof ServiceError) return new Declined(error.type);
  logger.warn({ err: error }, 'a compiled operation failed, and is executed by graphql-js');
  return new Declined('failed');
}

/** The kernel's reading of bytes, in times of parsing. */
const kernelSpeed = 4;

export type RunContext = Omit<GraphQLContext, 'loaders' | 'storedResponses'>;

interface Reading {
  readonly first: number;
  readonly accountId: string;
  readonly opened: ReturnType<typeof openConnection<object, unknown>>;
  readonly place: string;
  readonly limit: number;
  shown?: Shown;
}

interface ReadPage {
  readonly page: Page<unknown>;
  readonly scanned: Scanned;
}

/**
 * In an instance of the kernel that the caller must close. @param variables coerced
 * @throws Declined, or errors of reading and checking: the next executor reads no page again
 */
export async function runCompiled(
  { source, readMetadata, plan, roots, after }: EncodedOperation,
  variables: Values,
  context: RunContext,
  splicer: Splicer,
): Promise<Splice> {
  const pages = source.bytes(context.ports);
  if (pages === undefined) throw new Declined('pages do not come as bytes');
  const readings = new Map<string, Reading>();
  const shows = roots.map((root): { root: CompiledRoot; reading: Reading } => {
    const args = root.args(variables);
    if (args === undefined) throw new Declined('arguments');
    const key = JSON.stringify(args);
    const reading = readings.get(key) ?? openReading(source, args, context);
    readings.set(key, reading);
    return { root, reading };
  });
  // For each place the longest page, as the executor's loader reads it (see loaders.ts).
  const longest = [...longestPages(readings.values(), ({ place }) => place).values()];
  const bodies = await Promise.all(
    longest.map(({ opened, limit }) =>
      pages.read(context, { ...opened.checked, cursor: opened.from.cursor ?? undefined, limit }),
    ),
  );
  const bytes = bodies.reduce((sum, body) => sum + bytesOf(body), 0);
  await context.turn?.(weightOfBytes(bytes) / kernelSpeed);
  const splice = splicer.open(plan);
  try {
    const read = new Map<string, ReadPage>();
    for (const [index, body] of bodies.entries())
      read.set(longest[index]?.place ?? '', scanPage(splice, body, pages, readMetadata));
    for (const { root, reading } of shows) {
      reading.shown ??= show(source, reading, read);
      printRoot(splice, root, reading.shown);
    }
    requirePrinted(splice.text(after));
    return splice;
  } catch (error) {
    splice.close();
    throw error;
  }
}

function openReading(source: AnyListSource, args: Values, context: RunContext): Reading {
  const request = source.connection(args);
  const opened = openConnection(context, request);
  const { first, list } = request;
  const { from, maxLimit } = opened;
  return {
    first,
    accountId: source.account(args),
    opened,
    place: JSON.stringify([list, from.cursor]),
    limit: limitAt(from, { wanted: first, maxLimit }),
  };
}

function scanPage(
  splice: Splice,
  body: readonly Uint8Array[],
  { items, page }: Pick<PageSource<object, Page<unknown>>, 'items' | 'page'>,
  readMetadata: ReadMetadata,
): ReadPage {
  const scanned = splice.scan(body);
  if (typeof scanned === 'string') throw new Declined(scanned);
  const count = scanned.count(items);
  if (count === undefined) throw new Declined('no list');
  return { page: page({ ...readMetadata(scanned), [items]: new Array<null>(count).fill(null) }), scanned };
}

interface Shown {
  readonly connection: Connection<unknown>;
  readonly accountId: string;
  readonly scanned: Scanned;
  readonly from: number;
  readonly to: number;
}

function show(
  source: AnyListSource,
  { first, accountId, opened, place }: Reading,
  pages: ReadonlyMap<string, ReadPage>,
): Shown {
  const read = pages.get(place);
  const window = read && windowOfPage(read.page, { first, from: opened.from });
  if (read === undefined || window === null || window === undefined)
    throw new Declined('the window needs another page');
  const connection = source.value(opened.connection(window), read.page);
  return { connection, accountId, scanned: read.scanned, ...rangeOf(window, opened.from.offset) };
}

function printRoot(splice: Splice, root: CompiledRoot, { connection, accountId, scanned, from, to }: Shown): void {
  const edges = root.edgesOf?.(connection) ?? [];
  if (!Array.isArray(edges)) throw new Declined('the edges are no list');
  requirePrinted(splice.text(root.before));
  const refusal = splice.print(root.template, scanned, {
    from,
    to,
    parameters: root.parameters.map((each) => each(connection, accountId)),
    itemParameters: root.itemParameters.map((each) => edges.map(each)),
  });
  requirePrinted(refusal);
}

function requirePrinted(refusal: Refusal | null): void {
  if (refusal !== null) throw new Declined(refusal);
}

const rangeOf = ({ items }: Window<unknown>, from: number) =>
  items.length === 0 ? { from: 0, to: 0 } : { from, to: from + items.length };
