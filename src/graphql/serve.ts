/** What serves an operation ahead of the router: compiled/serve.ts and direct.ts. */
import type { IncomingRequest } from '../http/incoming-request.ts';
import type { RequestContext } from '../request-context.ts';
import type { Parameters } from './parameters.ts';

/** An operation that a request asks for. */
export interface RequestedOperation {
  readonly request: IncomingRequest;
  readonly parameters: Parameters;
  /** Of the response. */
  readonly contentType: string;
  /** The caller was admitted. */
  readonly context: RequestContext;
}

/**
 * Serves an operation.
 * @throws Fallback, ServiceError or GraphQLError for one that is not served, or that is refused. Nothing was changed then.
 */
export type Serve = (operation: RequestedOperation) => Promise<void>;
