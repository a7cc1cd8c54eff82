import type { ObjectShape } from '../splice/plan.ts';
import type { Caller } from './caller.ts';
import type { RequestContext } from './request-context.ts';

/** Pages as a service's bytes, for a reader of metadata that makes no objects of items. */
export interface PageSource<Request, Page> {
  readonly items: string;
  readonly metadata: ObjectShape;
  /** Why the caller gets other items than the bytes have; undefined, as by default, if it gets just these. */
  readonly differs?: (caller: Caller, request: Request) => string | undefined;
  /** `context.responses` remembers the page: reading it as objects costs no call. @throws as the port's method */
  read(context: RequestContext, request: Request): Promise<readonly Uint8Array[]>;
  /** Values that are missing are left out. @throws ServiceError for metadata of no page of this list */
  page(metadata: object): Page;
}
