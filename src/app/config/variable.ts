import { ConfigError } from '../../kernel/config-error.ts';
import { messageOf } from '../../kernel/lib/to-error.ts';
import { onOrOff, readText } from './values.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

interface Variable<T> {
  /** With values in backticks; a test compares it with the tables of docs/. */
  readonly help: string;
  readonly fallback: string;
  /** Then a variable with `_FILE` after its name can name a file instead. */
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

export const secretVariable = <T>(...definition: Parameters<typeof variable<T>>): Variable<T> => ({
  ...variable(...definition),
  secret: true,
});

export const optionalVariable = <T>(help: string, read: (value: string) => T): Variable<T | undefined> =>
  variable(help, '', (value) => (value === '' ? undefined : read(value)));

export const optionalSecret = <T>(...definition: Parameters<typeof optionalVariable<T>>): Variable<T | undefined> => ({
  ...optionalVariable(...definition),
  secret: true,
});

export const switchVariable = (help: string, fallback: 'on' | 'off'): Variable<boolean> =>
  variable(help, fallback, onOrOff);

/** The variable for the path of a file with the value. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** @throws ConfigError for the first variable with an invalid value */
export function readAll<Values extends object>(
  table: { readonly [Name in keyof Values]: Variable<Values[Name]> },
  environment: Environment,
): Values {
  const values: Partial<Values> = {};
  for (const name in table) values[name] = readVariable(name, environment, table[name]);
  // The compiler cannot count that every name has its value.
  return values as Values;
}

function readVariable<T>(name: string, environment: Environment, { fallback, secret, read }: Variable<T>): T {
  const value = (secret ? readSecretFile(name, environment) : null) ?? environment[name];
  try {
    // Shells and compose files unset a variable by emptying it.
    return read(value === undefined || value === '' ? fallback : value);
  } catch (error) {
    throw new ConfigError(`${name} ${messageOf(error)}`);
  }
}

/** Without the final line break of editors; null if no file is named. */
export function readSecretFile(name: string, environment: Environment): string | null {
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
