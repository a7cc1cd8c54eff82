/** The variables of an operation: the values that were sent as graphql-js would make them, or what is wrong with them. */
import {
  coerceInputValue,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  getVariableValues,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from 'graphql';
import { issueLimits, shortened } from '../../kernel/issues.ts';
import { shortErrors, shortenedMessage } from '../short-errors.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The coerced values of the variables of a valid operation, or the first errors. */
export type Coerce = (sent: Values) => { readonly values: Values } | { readonly errors: readonly GraphQLError[] };

/** What a value is that graphql-js takes as it is. */
const fits = new Map<unknown, (value: unknown) => boolean>([
  [GraphQLID, (value) => typeof value === 'string'],
  [GraphQLString, (value) => typeof value === 'string'],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => typeof value === 'number' && (value | 0) === value],
]);

/**
 * Reads the variables before graphql-js does, and stops at the first errors. graphql-js would tell the same, but it prints
 * the whole object around each of fifty errors: of one with 70,000 unknown keys that takes seconds.
 */
export function coercion(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): Coerce {
  const variables = variableDefinitions.map((definition) => {
    const type = typeFromAST(schema, definition.type);
    const inner = isNonNullType(type) ? type.ofType : type;
    return { definition, name: definition.variable.name.value, type, isPlain: fits.get(inner) };
  });
  return (sent) => {
    // An object of the literal kind would take `__proto__` for its prototype.
    const values: Record<string, unknown> = Object.create(null);
    const errors: GraphQLError[] = [];
    let isMissing = false;
    try {
      for (const { definition, name, type, isPlain } of variables) {
        const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
        if (isPlain?.(value)) values[name] = value;
        else if (!isInputType(type)) continue;
        else if (value === undefined && definition.defaultValue !== undefined) {
          values[name] = valueFromAST(definition.defaultValue, type);
        } else if (value === undefined || value === null) {
          isMissing ||= isNonNullType(type);
          if (value === null) values[name] = null;
        } else {
          values[name] = coerceInputValue(value, type, (path, invalid, error) => {
            errors.push(errorAt(definition, path, invalid, error));
            if (errors.length >= issueLimits.count) throw new EnoughErrors();
          });
        }
      }
    } catch (error) {
      if (!(error instanceof EnoughErrors)) throw error;
      errors.push(new GraphQLError('There may be more errors: the rest of the variables was not read.'));
    }
    if (errors.length > 0) return { errors };
    if (!isMissing) return { values };
    // What is missing and what is null costs nothing: graphql-js tells of it.
    return { errors: shortErrors(getVariableValues(schema, variableDefinitions, sent).errors ?? []) };
  };
}

class EnoughErrors extends Error {}

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
