/** What each gate refuses, as operations of each executor: the table of gates.test.ts. */
import type { executors, stages } from '../../src/graphql/pipeline.ts';

export type StageName = keyof typeof stages;
export type ExecutorName = keyof typeof executors;

/** What a request sends, by names that a URL can have as well. */
export interface Sent {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** A key that may do everything if it is left out; `''` for none. */
  readonly key?: string;
}

export interface GateCase {
  readonly what: string;
  /** Of the error, which is the same for every executor and door. */
  readonly code: string;
  /** The error in the log, if it is not that of the code. */
  readonly type?: string;
  /** Of the gateway, beside the usual. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A refused request for each executor; a text says why there is none. */
  readonly requests: Readonly<Record<ExecutorName, Sent | string>>;
}

const list = (args = '', selection = '... on PnetPost { id }') =>
  `posts(accountId: "a1", identifier: "ACo1"${args}) { nodes { ${selection} } }`;
const nested = 'author { posts(first: 1) { nodes { __typename } } }';

/** A valid operation of each executor, with variables and a field that may stand in it. */
const operation = (variables = '', args = '', field = '__typename'): Readonly<Record<ExecutorName, string>> => ({
  compiled: `query Compiled${variables} { ${list(args, `... on PnetPost { id } ... on NetworkPost { ${field} }`)} }`,
  resolving: `query Executed${variables} { ${list(args, `... on PnetPost { ${nested} } ... on NetworkPost { ${field} }`)} }`,
  subscribe: `subscription Subscribed${variables} { deliveryUpdated { state ${field} } }`,
});

export const valid = operation();

/** The same for every executor. */
const forEach = (
  make: (query: string, executor: ExecutorName) => Sent | string,
  documents = valid,
): GateCase['requests'] => ({
  compiled: make(documents.compiled, 'compiled'),
  subscribe: make(documents.subscribe, 'subscribe'),
  resolving: make(documents.resolving, 'resolving'),
});

const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`);
const hash = 'a'.repeat(64);
const rootFields = Array.from({ length: 51 }, (_, at) => `a${at}: __typename`).join(' ');

export const gateCases: Readonly<Record<StageName, readonly GateCase[]>> = {
  admit: [
    {
      what: 'a wrong key',
      code: 'INVALID_CREDENTIALS',
      requests: forEach((query) => ({ parameters: { query }, key: 'pst_wrong' })),
    },
    {
      what: 'a request too many without a key',
      code: 'SERVICE_UNAVAILABLE',
      environment: { KEYLESS_PER_MINUTE: '1' },
      requests: forEach((query) => ({ parameters: { query }, key: '' })),
    },
  ],
  readRequest: [
    {
      what: 'parameters that are nested too deeply',
      code: 'MALFORMED_REQUEST',
      requests: forEach((query) => ({ parameters: { query, variables: { deep } } })),
    },
  ],
  findDocument: [
    {
      what: 'an id that means nothing',
      code: 'PERSISTED_QUERY_NOT_SUPPORTED',
      type: 'errors/malformed_request',
      requests: forEach(() => ({ parameters: { documentId: 'nobody-knows' } })),
    },
    {
      what: 'a hash that nobody knows',
      code: 'PERSISTED_QUERY_NOT_FOUND',
      type: 'errors/resource_not_found',
      requests: forEach(() => ({ parameters: { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } } })),
    },
    {
      what: 'a hash of another document',
      code: 'MALFORMED_REQUEST',
      requests: forEach((query) => ({
        parameters: { query, extensions: { persistedQuery: { version: 1, sha256Hash: hash } } },
      })),
    },
    {
      what: 'a document that is not of the manifest',
      code: 'RESOURCE_ACCESS_RESTRICTED',
      environment: { DOCUMENTS: 'a manifest', DOCUMENTS_MODE: 'only' },
      requests: forEach((query) => ({ parameters: { query } })),
    },
    {
      what: 'variables that are a list',
      code: 'MALFORMED_REQUEST',
      requests: forEach((query) => ({ parameters: { query, variables: [] } })),
    },
  ],
  knowOperation: [
    {
      what: 'a document that is not GraphQL',
      code: 'MALFORMED_REQUEST',
      requests: forEach((query) => ({ parameters: { query: query.slice(0, -1) } })),
    },
    {
      what: 'a document that is nested too deeply',
      code: 'LIMIT_TOO_HIGH',
      requests: forEach((query) => ({
        parameters: { query: `${query} { ${'a { '.repeat(20)} b ${'}'.repeat(20)} }` },
      })),
    },
    {
      what: 'an operation that is not there',
      code: 'MALFORMED_REQUEST',
      requests: forEach((query) => ({ parameters: { query, operationName: 'Other' } })),
    },
    {
      what: 'a document that asks for the schema where nobody may',
      code: 'INVALID_PARAMETERS',
      environment: { INTROSPECTION: 'off' },
      requests: forEach((query) => ({
        parameters: {
          query: `${query} query Schema { __schema { description } }`,
          operationName: /(?<=query |subscription )\w+/.exec(query)?.[0],
        },
      })),
    },
  ],
  limit: [
    {
      what: 'a cost that is too large',
      code: 'LIMIT_TOO_HIGH',
      environment: { GRAPHQL_MAX_COST: '1' },
      requests: forEach((query) => ({ parameters: { query } })),
    },
    {
      what: 'too many root fields',
      code: 'LIMIT_TOO_HIGH',
      requests: forEach((query) => ({ parameters: { query: query.replace('{', `{ ${rootFields} `) } })),
    },
  ],
  validate: [
    {
      what: 'an unknown field',
      code: 'INVALID_PARAMETERS',
      requests: forEach((query) => ({ parameters: { query } }), operation('', '', 'nothing')),
    },
  ],
  authorize: [
    {
      what: 'no key',
      code: 'MISSING_CREDENTIALS',
      requests: forEach((query) => ({ parameters: { query }, key: '' })),
    },
  ],
  coerce: [
    {
      what: 'a value of another type',
      code: 'INVALID_PARAMETERS',
      requests: forEach(
        (query) => ({ parameters: { query, variables: { on: 'x' } } }),
        operation('($on: Boolean!)', '', '__typename @include(if: $on)'),
      ),
    },
    {
      what: 'a value that is missing',
      code: 'INVALID_PARAMETERS',
      requests: forEach(
        (query) => ({ parameters: { query, variables: {} } }),
        operation('($on: Boolean!)', '', '__typename @include(if: $on)'),
      ),
    },
  ],
  requireEvent: [
    {
      what: 'a subscription without its field',
      code: 'INVALID_PARAMETERS',
      requests: forEach((query, executor) =>
        executor === 'subscribe'
          ? { parameters: { query: query.replace('deliveryUpdated', 'deliveryUpdated @skip(if: true)') } }
          : 'a query may be empty',
      ),
    },
  ],
  // It refuses nothing: what it responds with is compared below.
  lookUp: [],
};
