/** A table of environment variables, and how it is read. */
import { messageOf } from './config-values.ts';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variable<T> {
  /** One sentence or more, with values in backticks. The README's tables say the same words: a test compares them. */
  readonly help: string;
  readonly fallback: string;
  /** @throws an Error whose message says what the value must be */
  readonly read: (value: string) => T;
}

export const variable = <T>(help: string, fallback: string, read: (value: string) => T): Variable<T> => ({
  help,
  fallback,
  read,
});

/** @throws ConfigError for the first variable with an invalid value */
export function readAll<Values extends object>(
  table: { readonly [Name in keyof Values]: Variable<Values[Name]> },
  environment: Environment,
): Values {
  const values: Partial<Values> = {};
  for (const name in table) values[name] = readVariable(name, environment, table[name]);
  // Every name of the table has its value now, which the compiler cannot count.
  return values as Values;
}

function readVariable<T>(name: string, environment: Environment, { fallback, read }: Variable<T>): T {
  const value = environment[name];
  try {
    // Shells and composition files leave a variable out by setting it to nothing.
    return read(value === undefined || value === '' ? fallback : value);
  } catch (error) {
    throw new ConfigError(`${name} ${messageOf(error)}`);
  }
}
