/** API keys of the sandbox: those that fail, and that of the demo workspace. */

import type { Authenticate } from '../../kernel/caller.ts';
import { type ErrorName, errorNames, ServiceError } from '../../kernel/errors.ts';
import { readIfExists } from '../../kernel/secrets/secret.ts';

const sandboxKeyPrefix = 'sandbox_';

export const sandboxKey = (name: ErrorName): string => `${sandboxKeyPrefix}${name}`;

/** A map, because an object has `constructor`. */
const outcomes: ReadonlyMap<string, ErrorName> = new Map(errorNames.map((name) => [sandboxKey(name), name]));

/**
 * API keys that fail every request with the error that they name, before anything is read: for errors that no account
 * and no id can cause, such as credential errors of the webhook endpoints. None of them ever lets a request pass.
 */
export const refusingSandboxKeys =
  (authenticate: Authenticate): Authenticate =>
  async (apiKey) => {
    const outcome = apiKey === undefined ? undefined : outcomes.get(apiKey);
    if (outcome === undefined) return authenticate(apiKey);
    throw new ServiceError(outcome, {
      detail: 'Every request with this API key of the sandbox fails with this error.',
    });
  };

/** @param file of the configuration, `demoKeyFile`. @returns undefined if there is none */
export const readDemoKey = async (file: string): Promise<string | undefined> => (await readIfExists(file))?.trim();
