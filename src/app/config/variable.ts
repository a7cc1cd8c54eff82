/** A table of environment variables, and how it is read. */
import { ConfigError } from '../../kernel/config-error.ts';
import { messageOf, readText } from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variable<T> {
  /** One sentence or more, with values in backticks. The README's tables say the same words: a test compares them. */
  readonly help: string;
  readonly fallback: string;
  /** Whether the value is a secret, which can be in a file that a variable with `_FILE` after its name has the path of. */
  readonly secret: boolean;
  /** @throws an Error whose message says what the value must be */
  readonly read: (value: string) => T;
}

export const variable = <T>(help: string, fallback: string, read: (value: string) => T): Variable<T> => ({
  help,
  fallback,
  secret: false,
  read,
});

/** A variable whose value is a secret, or may contain one. */
export const secretVariable = <T>(...definition: Parameters<typeof variable<T>>): Variable<T> => ({
  ...variable(...definition),
  secret: true,
});

/** The variable that has the path of a file with the value of another. */
export const fileVariable = (name: string): string => `${name}_FILE`;

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

function readVariable<T>(name: string, environment: Environment, { fallback, secret, read }: Variable<T>): T {
  const value = (secret ? readSecretFile(name, environment) : null) ?? environment[name];
  try {
    // Shells and composition files leave a variable out by setting it to nothing.
    return read(value === undefined || value === '' ? fallback : value);
  } catch (error) {
    throw new ConfigError(`${name} ${messageOf(error)}`);
  }
}

/** The value in the file of a secret, without the line break that editors end a file with; null if no file is named. */
function readSecretFile(name: string, environment: Environment): string | null {
  const fileName = fileVariable(name);
  const file = environment[fileName];
  if (file === undefined || file === '') return null;
  if (environment[name]) throw new ConfigError(`${name} and ${fileName} are both set: leave one of them out`);
  try {
    const value = readText(file).replace(/\r?\n$/, '');
    if (value !== '') return value;
  } catch (error) {
    throw new ConfigError(`${fileName} ${messageOf(error)}`);
  }
  throw new ConfigError(`${fileName} names a file that is empty`);
}
