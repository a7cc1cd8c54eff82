/** Reads the environment by the table of variables. */
import { z } from 'zod';
import { ConfigError } from '../../kernel/config-error.ts';
import { keysOf } from '../../kernel/lib/objects.ts';
import { removed } from './fixed.ts';
import { type Environment, fileVariable, readSecret, secretNames } from './secrets.ts';
import { variables } from './variables.ts';

const shape = z.object(variables);

export type Variables = z.output<typeof shape>;

/** `DATABASE_URL` is `databaseUrl`. */
type OptionName<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<OptionName<Rest>>}`
  : Lowercase<Name>;

/** What a value is in a program; the text of the variable for all that is neither a word, a number, a list nor a record. */
type OptionValue<Value> = Value extends boolean
  ? boolean
  : Value extends number | string
    ? Value
    : Value extends readonly unknown[]
      ? string | readonly string[]
      : Value extends { readonly port: number }
        ? string | number
        : string extends keyof Value
          ? string | (Value[keyof Value] extends string ? Value : never)
          : string;

/** A program is one process. */
const isOption = (name: keyof Variables): name is Exclude<keyof Variables, 'PROCESSES'> => name !== 'PROCESSES';
const ofPrograms = keysOf(variables).filter(isOption);

/** The variables of the table as options of a program. */
export type VariableOptions = {
  readonly [Name in (typeof ofPrograms)[number] as OptionName<Name>]?:
    | OptionValue<NonNullable<Variables[Name]>>
    | undefined;
};

const optionName = (variable: string): string =>
  variable.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/**
 * The options that an environment sets, secrets in files among them: texts, which are checked when a gateway is created.
 * @throws ConfigError for a file that is none of a secret, or cannot be read
 */
export function optionsOf(environment: Environment): VariableOptions {
  const given = withProxyNames(environment);
  refuseFiles(given);
  const set = ofPrograms.flatMap((name) => {
    const text = textOf(name, given);
    return text === undefined ? [] : [[optionName(name), text]];
  });
  return Object.fromEntries(set);
}

/** The environment that stands for options. @throws ConfigError for an unknown option */
export function environmentOf(options: VariableOptions): Environment {
  const names = new Map(ofPrograms.map((name) => [optionName(name), name]));
  const set = Object.entries(options).flatMap(([option, value]) => {
    const name = names.get(option);
    if (name === undefined) throw new ConfigError(`"${option}" is no option of the gateway`);
    // As if it were left out, so that it does not hide what the environment says.
    return value === undefined ? [] : [[name, textOfOption(name, value)]];
  });
  return Object.fromEntries(set);
}

function textOfOption(name: keyof Variables, value: unknown): string {
  if (Array.isArray(value)) return value.join();
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value !== 'boolean') return String(value);
  // OpenTelemetry has words of its own.
  return variables[name].safeParse('on').success ? (value ? 'on' : 'off') : String(value);
}

/** Programs share these variables, and some take them in lower case alone (curl, `http_proxy`). */
export function withProxyNames(environment: Environment): Environment {
  const named = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].map((name) => [
    name,
    environment[name.toLowerCase()] || environment[name],
  ]);
  return { ...environment, ...Object.fromEntries(named) };
}

/** @throws ConfigError for the first variable with an invalid value, or for a file of one that is no secret */
export function readEnvironment(environment: Environment): {
  readonly values: Variables;
  readonly isSet: (name: keyof Variables) => boolean;
} {
  refuseFiles(environment);
  const given = Object.fromEntries(keysOf(variables).map((name) => [name, textOf(name, environment)]));
  // It is read once: compiling the shape takes longer than its interpretation.
  const { data: values, error } = shape.safeParse(given, { jitless: true });
  if (values !== undefined) return { values, isSet: (name) => given[name] !== undefined };
  const [issue] = error.issues;
  throw new ConfigError(`${issue?.path.join()} ${issue?.message}`);
}

/** Shells and compose files unset a variable by emptying it. */
const textOf = (name: string, environment: Environment): string | undefined =>
  (secretNames.includes(name) ? readSecret(name, environment) : environment[name]) || undefined;

/** Variables of earlier versions that are set, each with what is true without it. */
export const setInVain = (environment: Environment): readonly string[] =>
  Object.entries(removed).flatMap(([name, instead]) => (environment[name] ? `${name}: ${instead}` : []));

function refuseFiles(environment: Environment): void {
  const isSet = (name: string) => Boolean(environment[name]);
  const withFile = keysOf(variables).find((name) => !secretNames.includes(name) && isSet(fileVariable(name)));
  if (withFile === undefined || isSet(withFile)) return;
  throw new ConfigError(
    `${fileVariable(withFile)} is not a variable of the gateway: a file can have the value of secrets only. Set ${withFile}`,
  );
}
