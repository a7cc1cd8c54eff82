import type { ObjectShape } from '../splice/plan.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Pages of a list as the bytes that a service sent, for a reader that makes no objects of the items. What the contract
 * says of a page beside its items is a few values, its metadata: the reader takes them from the bytes, and gets the page.
 */
export interface PageSource<Request, Page> {
  /** The key of the items. */
  readonly items: string;
  /** The metadata. */
  readonly metadata: ObjectShape;
  /**
   * Reads a page. It is remembered in `context.responses`, so that reading it once more as objects costs no call.
   * @throws ServiceError for every failure, as the port's own method
   */
  read(context: RequestContext, request: Request): Promise<readonly Uint8Array[]>;
  /**
   * The page, from its metadata; a value that is not there is left out.
   * @throws ServiceError for metadata that are not of a page of this list
   */
  page(metadata: object): Page;
}
