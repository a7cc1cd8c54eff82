/** Reads the environment by the table of variables. */
import { z } from 'zod';
import { ConfigError } from '../../kernel/config-error.ts';
import { keysOf } from '../../kernel/lib/objects.ts';
import { removed } from './fixed.ts';
import { type Environment, fileVariable, readSecret, secretNames } from './secrets.ts';
import { variables } from './variables.ts';

const shape = z.object(variables);

export type Variables = z.output<typeof shape>;

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
