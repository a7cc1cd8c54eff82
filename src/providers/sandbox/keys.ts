/**
 * API keys that fail: every request with one of them fails with the error that it names, before anything is read. They
 * reach the errors that no account and no id can cause, such as those of the webhook endpoints, where the contract's
 * "credentials in question are the API key". They are no credentials: none of them ever lets a request pass.
 */
import { type ErrorName, errorNames, ServiceError } from '../../kernel/errors.ts';

const prefix = 'sandbox_';

/** The key that fails with this error. */
export const sandboxKey = (name: ErrorName): string => `${prefix}${name}`;

/** A map, because `constructor` would be found on an object. */
const outcomes: ReadonlyMap<string, ErrorName> = new Map(errorNames.map((name) => [sandboxKey(name), name]));

/** @throws ServiceError with the error that the key names, if it is a key that fails */
export function refuseSandboxKey(apiKey: string | undefined): void {
  const outcome = apiKey === undefined ? undefined : outcomes.get(apiKey);
  if (outcome === undefined) return;
  throw new ServiceError(outcome, { detail: 'Every request with this API key of the sandbox fails with this error.' });
}
