import type { ObjectShape } from '../splice/plan.ts';
import type { JsonDocument } from '../splice/splicer.ts';
import type { Caller } from './caller.ts';
import type { RequestContext } from './request-context.ts';

/** Pages as JSON, for a reader of metadata that makes no objects of items. */
export interface PageSource<Request, Page> {
  readonly items: string;
  readonly metadata: ObjectShape;
  /** Keys that items have elsewhere, but not here. */
  readonly lacks?: readonly string[];
  /** Whether pages that begin at one place are one read, of the longest. */
  readonly joins?: boolean;
  /** Why the caller gets other items than the pages have; undefined, as by default, if it gets just these. */
  readonly differs?: (caller: Caller, request: Request) => string | undefined;
  /**
   * In the order of the requests. `context.responses` remembers what was read: nothing is read again as objects.
   * @param keys of the items that will be printed @returns null if the items have only some of them
   * @throws as the port's method
   */
  read(
    context: RequestContext,
    requests: readonly Request[],
    keys: ReadonlySet<string>,
  ): Promise<readonly JsonDocument[] | null>;
  /** Values that are missing are left out. @throws ServiceError for metadata of no page of this list */
  page(metadata: object): Page;
}
