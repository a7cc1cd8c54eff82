/**
 * API keys that fail every request with the error that they name, before anything is read: for errors that no account
 * and no id can cause, such as credential errors of the webhook endpoints. None of them ever lets a request pass.
 */
import { type ErrorName, errorNames, ServiceError } from '../../kernel/errors.ts';

const sandboxKeyPrefix = 'sandbox_';

export const sandboxKey = (name: ErrorName): string => `${sandboxKeyPrefix}${name}`;

/** A map, because an object has `constructor`. */
const outcomes: ReadonlyMap<string, ErrorName> = new Map(errorNames.map((name) => [sandboxKey(name), name]));

/** @throws ServiceError with the error that the key names */
export function refuseSandboxKey(apiKey: string | undefined): void {
  const outcome = apiKey === undefined ? undefined : outcomes.get(apiKey);
  if (outcome === undefined) return;
  throw new ServiceError(outcome, { detail: 'Every request with this API key of the sandbox fails with this error.' });
}
