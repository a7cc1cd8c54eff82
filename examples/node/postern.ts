import type { TypedDocumentNode as Document } from '@graphql-typed-document-node/core';
import { type DocumentNode, print } from 'graphql';
import { createClient } from 'graphql-sse';
import { toe } from 'graphql-toe';
import { graphql } from './gql/gql.ts';
import type { ErrorCode } from './gql/graphql.ts';
import { address, required } from './settings.ts';

const url = `${address}/graphql`;
const headers = { authorization: `Bearer ${required('POSTERN_KEY')}` };
// A random wait of up to half a minute, so that not all clients come back at once.
const wait = (n: number) => Math.random() * Math.min(30_000, 1_000 * 2 ** n);
const retry = (n: number) => new Promise<void>((go) => setTimeout(go, wait(n)));
const streams = createClient({ url, headers, retry, retryAttempts: Infinity });
type Values = Record<string, unknown>;
const requestOf = (document: DocumentNode, variables: Values) => ({ query: print(document), variables });
type Failure = { message: string; path?: readonly (string | number)[]; extensions: { code: ErrorCode } };

/** What `unwrap` needs of a mutation's result. `ErrorCode` is generated because it is selected here. */
export const Failure = graphql(`fragment Failure on ServiceError { code message }`);

/** A failure that the gateway reports. `retryAfter` is in seconds, and 0 if the response has no `Retry-After`. */
export class PosternError extends Error {
  override name = 'PosternError';
  readonly code: ErrorCode;
  readonly path: readonly (string | number)[];
  readonly retryAfter: number;
  constructor({ message, path = [], extensions }: Failure, retryAfter = 0) {
    super(message);
    this.code = extensions.code;
    this.path = path;
    this.retryAfter = retryAfter;
  }
}

/** The data of a response. A field that failed throws its error when it is read. */
function read<Data extends Values>(response: { data?: Data | null; errors?: readonly object[] }, retryAfter?: number) {
  const errors = response.errors?.map((error) => new PosternError(error as Failure, retryAfter));
  if (!response.data && errors?.[0]) throw errors[0];
  return toe<Data>({ ...response, errors });
}

/** The data of a query or mutation. */
export async function ask<Data extends Values, Input extends Values>(query: Document<Data, Input>, variables: Input) {
  const body = JSON.stringify(requestOf(query, variables));
  const json = { ...headers, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers: json, body });
  return read<Data>(await response.json(), Number(response.headers.get('retry-after')));
}

/** The result of a mutation, if it is a success. A failure is thrown. */
export function unwrap<Result extends { __typename: string; code?: ErrorCode; message?: string }>(result: Result) {
  const { __typename, code, message = __typename } = result;
  if (code) throw new PosternError({ message, extensions: { code } });
  return result as Exclude<Result, { code: ErrorCode }>;
}

/** What `of` returns of each item of a list. An item that the gateway could not read costs no other. */
export const readable = <Item, Value>(items: readonly Item[], of: (item: Item) => Value): Value[] =>
  [...items.keys()].flatMap((at) => {
    try {
      return [of(items[at] as Item)];
    } catch (error) {
      if (error instanceof PosternError) return [];
      throw error;
    }
  });

/** The pages of a list, each of which is read when it is asked for. */
export async function* pages<Page extends { pageInfo: { hasNextPage: boolean; endCursor: string | null } }>(
  readPage: (after: string | null) => Promise<Page>,
) {
  for (let after: string | null = null; ; ) {
    const page: Page = await readPage(after);
    yield page;
    if (!page.pageInfo.hasNextPage) return;
    after = page.pageInfo.endCursor;
  }
}

/** The results of a subscription, which connects again after an interruption. `onConnected` is called each time. */
export function watch<Data extends Values, Input extends Values>(
  document: Document<Data, Input>,
  variables: Input,
  onConnected?: (isReconnected: boolean) => void,
): AsyncIterableIterator<Data> {
  const results = streams.iterate<Data>(requestOf(document, variables), onConnected && { connected: onConnected });
  // No generator: it would leave the stream open until the next result when its reader goes away.
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const { done, value } = await results.next();
      if (done) return { done, value };
      try {
        return { value: read<Data>(value) };
      } catch (error) {
        await results.return?.();
        throw error;
      }
    },
    async return() {
      await results.return?.();
      return { done: true, value: undefined };
    },
  };
}
