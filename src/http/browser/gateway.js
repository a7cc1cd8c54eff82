/** The GraphQL API of the gateway that serves a page, with the key that the visitor has given to this tab. */
import { readResult, sendOperation } from './send-operation.js';
import { skipFailed } from './skip-failed.js';
import { readKey } from './stored-key.js';

export const endpoint = '/graphql';

/** A failure of a request. `issues`: what is wrong with its input, without the name of the variable or argument before it. */
export class GatewayError extends Error {
  name = 'GatewayError';
  /** Whether the key is refused. */
  isOfKey = false;
  /** Whether there was no response of the gateway. */
  isUnreachable = false;
  constructor({ message, issues = [], ...others }) {
    super(message);
    Object.assign(this, others);
    this.issues = issues.map(({ path, ...issue }) => ({ ...issue, path: path.slice(1) }));
  }
}

export const options = (signal) => ({ headers: { 'x-api-key': readKey() }, ...(signal && { signal }) });

/** The failure of an error of a response. An account may lack credentials, too: its failure has the path of a field. */
export const toError = ({ message, path, extensions }) =>
  new GatewayError({ message, ...extensions, isOfKey: path === undefined && extensions?.status === 401 });

/**
 * Sends an operation.
 * @param {{ signal?: AbortSignal, read?: (response: Response) => Promise<object> }} [how] `read` reads the result
 * @returns {Promise<{ data: object, skipped: { message: string }[] }>} the list items that could not be read are skipped
 * @throws {GatewayError} when a field could not be read
 */
export async function ask(query, variables = {}, { signal, read = readResult } = {}) {
  const result = await sendOperation(endpoint, { query, variables }, options(signal))
    .then(read)
    .catch((error) => {
      if (signal?.aborted) throw error;
      throw new GatewayError({ message: 'The gateway cannot be reached. Try again.', isUnreachable: true });
    });
  const { response, skipped } = skipFailed(result);
  const [error] = response.errors ?? [];
  if (error !== undefined) throw toError(error);
  return { data: response.data, skipped };
}

/**
 * Sends a mutation with one field.
 * @throws {GatewayError} also for a failure that the mutation returns as data
 */
export async function act(query, variables) {
  const [result] = Object.values((await ask(query, variables)).data);
  if (result.message !== undefined) throw new GatewayError(result);
  return result;
}

/**
 * Gives inputs an idempotency key: one whose response was lost is not carried out again, and what was changed has another key.
 * @returns {(input: object) => object}
 */
export function onceEach() {
  let last = null;
  return (input) => {
    const text = JSON.stringify(input);
    if (last?.text !== text) last = { text, idempotencyKey: crypto.randomUUID() };
    return { ...input, idempotencyKey: last.idempotencyKey };
  };
}
