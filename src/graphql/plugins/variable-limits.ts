import {
  coerceInputValue,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  isInputType,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { issueLimits, shortened } from '../../issues.ts';
import { shortenedMessage } from './short-errors.ts';

interface Starting {
  readonly args: ExecutionArgs;
  readonly setResultAndStopExecution: (result: ExecutionResult) => void;
}

/**
 * Reads the variables before graphql-js does, and stops at the first errors. graphql-js would tell the same, but it prints
 * the whole object around each of fifty errors: of one with 70,000 unknown keys that takes seconds.
 */
export function useVariableLimits(): Plugin {
  const check = ({ args, setResultAndStopExecution }: Starting) => {
    const errors = errorsOfVariables(args);
    if (errors.length > 0) setResultAndStopExecution({ errors });
  };
  return { onExecute: check, onSubscribe: check };
}

class EnoughErrors extends Error {}

/** What is wrong with the values of an operation's variables: the first of it. */
export function errorsOfVariables({ schema, document, operationName, variableValues }: ExecutionArgs): GraphQLError[] {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const errors: GraphQLError[] = [];
  try {
    for (const definition of definitions) {
      const name = definition.variable.name.value;
      const value = variableValues && Object.hasOwn(variableValues, name) ? variableValues[name] : undefined;
      const type = typeFromAST(schema, definition.type);
      // What is missing and what is null costs nothing: graphql-js tells of it.
      if (value === undefined || value === null || !isInputType(type)) continue;
      coerceInputValue(value, type, (path, invalid, error) => {
        errors.push(errorAt(definition, path, invalid, error));
        if (errors.length >= issueLimits.count) throw new EnoughErrors();
      });
    }
  } catch (error) {
    if (!(error instanceof EnoughErrors)) throw error;
    errors.push(new GraphQLError('There may be more errors: the rest of the variables was not read.'));
  }
  return errors;
}

function errorAt(
  definition: VariableDefinitionNode,
  path: readonly (string | number)[],
  invalid: unknown,
  error: GraphQLError,
): GraphQLError {
  const { value: name } = definition.variable.name;
  const value = typeof invalid === 'object' ? '' : ` ${shortened(JSON.stringify(invalid) ?? '')}`;
  const place = path.reduce<string>(
    (at, key) => at + (typeof key === 'number' ? `[${key}]` : `.${shortened(key)}`),
    name,
  );
  const at = path.length === 0 ? '' : ` at "${place}"`;
  const message = `Variable "$${shortened(name)}" got invalid value${value}${at}; ${error.message}`;
  return new GraphQLError(shortenedMessage(message), { nodes: definition });
}
