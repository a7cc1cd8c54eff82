/** The GraphQL API of the gateway that serves this page, with the key that the visitor has given to this tab. */
import { eventStream } from './event-stream.js';
import { keepDigits } from './request.js';
import { readResult, sendOperation } from './send-operation.js';
import { skipFailed } from './skip-failed.js';
import { readKey } from './stored-key.js';

const endpoint = '/graphql';

/** A failure of a request. `isOfKey`: the key is wrong, or may not do this. `issues`: what is wrong with its input. */
export class ApiError extends Error {
  constructor(message, { status = 0, issues = [], isUnreachable = false } = {}) {
    super(message);
    this.name = 'ApiError';
    this.issues = issues;
    this.isOfKey = status === 401;
    this.isUnreachable = isUnreachable;
  }
}

/** The list items that the last response to each query left out, because they could not be read. */
export const skippedBy = new Map();

/** The key of now, and what else is sent beside it. */
const headers = (others) => ({ 'x-api-key': readKey(), ...others });

/** @throws {ApiError} */
const toError = ({ message, extensions }) => new ApiError(message, extensions);

/**
 * Sends an operation.
 * @param {(response: Response) => Promise<object>} read its result
 * @returns {Promise<object>} its data; a field that failed by itself is null
 * @throws {ApiError} when nothing of it could be read
 */
export async function ask(query, variables = {}, read = readResult) {
  const response = await sendOperation(endpoint, { query, variables }, { headers: headers() }).catch(() => {
    throw new ApiError('The gateway cannot be reached.', { isUnreachable: true });
  });
  const result = await read(response).catch(({ message }) => {
    throw new ApiError(message);
  });
  const { response: whole, skipped } = skipFailed(result);
  skippedBy.set(query, skipped);
  const { data, errors = [] } = whole;
  const [first] = errors;
  if (first !== undefined && (!data || Object.values(data).every((field) => field === null))) throw toError(first);
  return data;
}

/** Reads a result with numbers as they were sent. */
export const readExactly = async (response) => JSON.parse(await response.text(), keepDigits);

/** @returns {Promise<string[]>} names of events that the service behind the gateway does not send; none where nobody says so */
export async function readUnsent() {
  const response = await fetch('/readyz');
  const { events_not_sent_by_service: events } = await response.json();
  return Array.isArray(events) ? events : [];
}

/**
 * Sends a mutation with one field.
 * @throws {ApiError} also for a failure that the mutation returns as data
 */
export async function act(query, variables) {
  const [result] = Object.values(await ask(query, variables));
  if (result?.message !== undefined) throw new ApiError(result.message, result);
  return result;
}

/** What the page leaves out for a key that lacks a scope: a part that is refused would take the whole with it. */
export const variablesFor = ({ scopes }) => ({ seesAccounts: scopes.includes('ACCOUNTS_READ') });

/**
 * Subscribes, until the signal aborts or the stream ends.
 * @param {(data: object) => void} onData
 * @param {() => void} onOpen the stream stands
 * @throws {ApiError} when the gateway refuses or ends it with an error
 */
export async function subscribe(query, { variables, onData, onOpen, signal }) {
  const accept = 'text/event-stream';
  const response = await sendOperation(endpoint, { query, variables }, { headers: headers({ accept }), signal });
  if (!response.ok || response.body === null) throw new ApiError('No live updates.', { status: response.status });
  onOpen();
  for await (const { data, errors } of eventStream(response.body)) {
    if (errors) throw toError(errors[0]);
    if (data) onData(data);
  }
}
