/** The fields of log lines. */
import type { RequestFacts } from '../../../src/http/incoming-request.ts';
import { code, row, table } from './markdown.ts';

/** Of every line. */
const common = {
  time: 'Milliseconds since 1970.',
  level: '30 is info, 40 warn, 50 error.',
  version: 'Version of the gateway.',
  pid: 'Process id.',
  hostname: 'Host name.',
  msg: 'What happened, as in the table of [messages](#log-messages).',
  reqId: 'Id of the request: the `x-request-id` header of its response, and `instance` of its errors.',
  traceId: 'Trace of the request or delivery, with OpenTelemetry.',
  err: 'Cause of a failure, with its stack.',
};

/** Of the line `request`, beside what the gateway knows of the operation. */
const request = {
  method: 'HTTP method; `WS` for an operation on a WebSocket.',
  path: 'Path of the URL, without its query. API keys and access tokens in it are `[redacted]`.',
  status: 'HTTP status. Missing if the client left before the response, and for an operation on a WebSocket.',
  ms: 'Milliseconds from the request to the end of its response.',
  aborted: '`true` if the client left before the end of the response.',
};

const facts: Readonly<Record<keyof RequestFacts, string>> = {
  keyId: 'Id of the API key.',
  tokenId: 'Id of the access token, if the client sent one in place of the key.',
  workspaceId: 'Workspace of the API key. Missing in proxy mode with forwarded keys.',
  operation: 'Name of the GraphQL operation.',
  operationType: '`query`, `mutation` or `subscription`.',
  operationHash: 'First digits of the SHA-256 of the document.',
  trusted:
    'Whether the document is in the [manifest](../use/persisted-operations.md#trusted-documents). Missing without `DOCUMENTS`.',
  cost: 'Cost of the operation.',
  compiled: '`yes`, or the reason why the operation was not compiled.',
  cache: '`hit`, `miss` or `unavailable`, if the response [can be cached](caching.md).',
  eventId: 'Id of the event that was emitted; of several, the first ten, separated by spaces.',
  errors: 'Types of the errors in the response. Each type is listed once.',
};

const fieldTable = (fields: Readonly<Record<string, string>>): string =>
  table(
    ['Field', 'What it is'],
    Object.entries(fields).map(([name, meaning]) => row(code(name), meaning)),
  );

export const logTables: Readonly<Record<string, string>> = {
  'log fields': fieldTable(common),
  'log fields of requests': fieldTable({ ...request, ...facts }),
};
