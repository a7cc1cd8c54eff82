/**
 * The compiled path of a query: from the body that was received to the bytes of the response, without a resolver. What it
 * does not expect falls back, with the pages that were read.
 */
import { type Compress, sendCompressed } from '../../http/compression.ts';
import type { IncomingRequest, RequestFacts } from '../../http/incoming-request.ts';
import type { CursorCodec } from '../../paging.ts';
import type { RequestContext } from '../../request-context.ts';
import { createSplicer, type Splice } from '../../splice/splicer.ts';
import { errorTypeOf, type Tracer } from '../../telemetry/telemetry.ts';
import { isNotModified } from '../conditional-requests.ts';
import type { DocumentOf } from '../cost/documents.ts';
import { Fallback } from '../fallback.ts';
import { operationFacts } from '../operation-facts.ts';
import type { Parameters } from '../parameters.ts';
import type { CacheLookup, ResponseCache } from '../response-cache.ts';
import { sendResponse } from '../send-response.ts';
import type { RequestedOperation, Serve } from '../serve.ts';
import { createOperationCache, type OperationCacheOptions, valuesFor } from './operation-cache.ts';
import { runCompiled } from './run.ts';
import { createSend } from './send.ts';

export interface CompiledOptions extends OperationCacheOptions {
  readonly cursors: CursorCodec;
  readonly documentOf: DocumentOf;
  readonly maxResponseBytes: number;
  readonly tracer?: Tracer | null;
  /** Null, or nothing, where no response is compressed. */
  readonly compress?: Compress | null;
  /** Null, or nothing, where no response is cached. */
  readonly responseCache?: ResponseCache | null;
}

/** The limit is on an estimate (see response-size.ts), which is at most this many times the bytes of the response. */
const estimateFactor = 8;

export function compiledOperations({
  cursors,
  documentOf,
  maxResponseBytes,
  tracer = null,
  compress = null,
  responseCache = null,
  ...cached
}: CompiledOptions): Serve {
  const { ports } = cached;
  const splicer = createSplicer();
  const send = createSend();
  const { find, check, compiledFor } = createOperationCache(cached);

  /** What a request asks for. @throws Fallback */
  function operationOf({ query, operationName, variables }: Parameters, facts: RequestFacts) {
    const operation = find(documentOf(query), operationName);
    Object.assign(facts, operationFacts(operation.operation, query));
    const values = valuesFor(operation, variables);
    facts.cost = check(operation, values);
    return { operation, values };
  }

  async function execute(
    { operation, values }: ReturnType<typeof operationOf>,
    context: RequestContext,
  ): Promise<Splice> {
    const splice = await runCompiled(compiledFor(operation, values), values, { ...context, ports, cursors }, splicer);
    if (splice.output().length * estimateFactor <= maxResponseBytes) return splice;
    splice.close();
    throw new Fallback('the response is large');
  }

  async function traced(tracer: Tracer, asked: ReturnType<typeof operationOf>, context: RequestContext) {
    const span = tracer.start(`${asked.operation.operation.operation} compiled`);
    try {
      return await span.within(() => execute(asked, context));
    } catch (error) {
      // Not a failure if the executor takes over.
      if (error instanceof Fallback) span.set({ 'postern.compiled': error.reason });
      else span.fail(errorTypeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  /** What is sent in place of the output, if anything. A failure closes the splice. */
  function bodyOf(request: IncomingRequest, splice: Splice, cached: CacheLookup | null) {
    try {
      cached?.set(splice.output());
      const notModified = isNotModified(request, splice.output());
      return { notModified, compressed: notModified ? null : (compress?.(request, splice.output()) ?? null) };
    } catch (error) {
      splice.close();
      throw error;
    }
  }

  const lookUp = (
    cache: ResponseCache,
    { operation: { document, operation } }: ReturnType<typeof operationOf>,
    { request, parameters: { query: text, variables }, context: { caller } }: Omit<RequestedOperation, 'contentType'>,
  ) => cache.lookup({ request, caller, text, document, operation, variables });

  return async ({ request, parameters, contentType, context }) => {
    const asked = operationOf(parameters, request.facts);
    const cached = responseCache === null ? null : await lookUp(responseCache, asked, { request, parameters, context });
    if (cached?.body) return sendResponse(request, contentType, cached.body, { compress });
    const reading = cached === null ? context : { ...context, generation: cached.generation };
    const splice = await (tracer === null ? execute(asked, reading) : traced(tracer, asked, reading));
    const { notModified, compressed } = bodyOf(request, splice, cached);
    if (notModified) {
      splice.close();
      request.response.writeHead(304).end();
      return;
    }
    if (compressed === null) return send(request, contentType, splice);
    // The memory of the kernel is read until then.
    await sendCompressed(request, contentType, compressed).finally(() => splice.close());
  };
}
