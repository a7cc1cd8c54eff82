/** What the client must know of an endpoint of the contract; each capability has a table of its own. */
import type { ErrorName } from '../errors.ts';

export type Capability = 'jobs' | 'posts' | 'webhooks';

/**
 * Where words of a vocabulary stand in a body: `items.*.attachments.*.type` → `attachment_types`. `*` is every entry of
 * a list.
 */
export type WordPlaces = Readonly<Record<string, string>>;

export interface Endpoint {
  readonly capability: Capability;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** As the contract writes it: `/v1/pnet/jobs/{job_id}`. */
  readonly path: string;
  /** What `object` of an answer may be. */
  readonly answers: readonly string[];
  /** The failure of an id that no path can carry. */
  readonly malformedId: ErrorName;
  /** Where the answer and the body have words that an upstream service may spell differently. */
  readonly reads: WordPlaces;
  readonly writes: WordPlaces;
  /** What a 401 or 403 is about: the account that the request names, as the error table has it, or the API key. */
  readonly refusesFor: 'account' | 'key';
}

/** What is sent: the ids of the path, the query and the body, all in the contract's words. */
export interface EndpointRequest {
  readonly ids?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: object;
}
