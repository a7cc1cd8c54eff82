import type { RequestContext } from './request-context.ts';
import type { ObjectShape } from './splice/plan.ts';

/**
 * Pages of a list as the bytes that a service sent, for a reader that makes no objects of the items. What the contract
 * says of a page beside its items is a few values, the frame: the reader takes them from the bytes, and gets the page.
 */
export interface PageSource<Request, Page> {
  /** The key of the items. */
  readonly items: string;
  /** The values of the frame. */
  readonly frame: ObjectShape;
  /**
   * Reads a page. It is remembered in `context.responses`, so that reading it once more as objects costs no call.
   * @throws ServiceError for every failure, as the port's own method
   */
  read(context: RequestContext, request: Request): Promise<readonly Uint8Array[]>;
  /**
   * The page, from its frame; a value that is not there is left out.
   * @throws ServiceError for a frame that is not of a page of this list
   */
  page(frame: object): Page;
}
