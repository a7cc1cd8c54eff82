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
import { type Issue, withoutStacks } from '../../kernel/errors.ts';
import { issueLimits, shortened } from '../../kernel/issues.ts';
import { issuesExtension, shortErrors, shortenedMessage } from '../kit/errors.ts';
import { missingValue, notNull, VariableIssues } from './variable-issues.ts';

export type Values = Readonly<Record<string, unknown>>;

export type Coerce = (sent: Values) => { readonly values: Values } | { readonly errors: readonly GraphQLError[] };

/** Values that graphql-js takes unchanged. */
const builtInChecks = new Map<unknown, (value: unknown) => boolean>([
  [GraphQLID, (value) => typeof value === 'string'],
  [GraphQLString, (value) => typeof value === 'string'],
  [GraphQLBoolean, (value) => typeof value === 'boolean'],
  [GraphQLInt, (value) => typeof value === 'number' && (value | 0) === value],
]);

/**
 * Values under names that clients choose. Of a class, as V8 makes a hash table of `Object.create(null)`. A literal object
 * would take `__proto__` for its prototype.
 */
export const OwnValues = function OwnValues() {} as unknown as new () => Record<string, unknown>;
OwnValues.prototype = Object.create(null);

/** Stops at the first errors: graphql-js prints the whole object into fifty, seconds of work for 70,000 keys. */
export function coercion(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): Coerce {
  const variables = variableDefinitions.map((definition) => {
    const type = typeFromAST(schema, definition.type);
    const inner = isNonNullType(type) ? type.ofType : type;
    return { definition, name: definition.variable.name.value, type, isPlain: builtInChecks.get(inner) };
  });
  return (sent) => {
    const values = new OwnValues();
    const errors: GraphQLError[] = [];
    const absent: Issue[] = [];
    try {
      for (const { definition, name, type, isPlain } of variables) {
        const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
        if (isPlain?.(value)) values[name] = value;
        else if (!isInputType(type)) continue;
        else if (value === undefined && definition.defaultValue !== undefined) {
          values[name] = valueFromAST(definition.defaultValue, type);
        } else if (value === undefined || value === null) {
          if (isNonNullType(type)) absent.push({ path: [name], ...(value === null ? notNull : missingValue) });
          if (value === null) values[name] = null;
        } else {
          const issues = new VariableIssues(name, type);
          const refuse: Parameters<typeof coerceInputValue>[2] = (path, invalid, error) => {
            errors.push(errorAt(definition, path, invalid, error, issues.at(path, invalid)));
            if (errors.length >= issueLimits.count) throw new EnoughErrors();
          };
          values[name] = withoutStacks(() => coerceInputValue(value, type, refuse));
        }
      }
    } catch (error) {
      if (!(error instanceof EnoughErrors)) throw error;
      errors.push(new GraphQLError('There may be more errors: the rest of the variables was not read.'));
    }
    if (errors.length > 0) return { errors };
    if (absent.length === 0) return { values };
    // What is missing and what is null costs nothing: graphql-js tells of it, in the same order.
    const told = getVariableValues(schema, variableDefinitions, sent).errors ?? [];
    return { errors: shortErrors(told.map((error, at) => withIssue(error, absent[at]))) };
  };
}

class EnoughErrors extends Error {}

function errorAt(
  definition: VariableDefinitionNode,
  path: readonly (string | number)[],
  invalid: unknown,
  error: GraphQLError,
  issue: Issue,
): GraphQLError {
  const { value: name } = definition.variable.name;
  const value = typeof invalid === 'object' ? '' : ` ${shortened(JSON.stringify(invalid) ?? '')}`;
  const place = path.reduce<string>(
    (at, key) => at + (typeof key === 'number' ? `[${key}]` : `.${shortened(key)}`),
    name,
  );
  const at = path.length === 0 ? '' : ` at "${place}"`;
  const message = `Variable "$${shortened(name)}" got invalid value${value}${at}; ${error.message}`;
  return withIssue({ message: shortenedMessage(message), nodes: [definition] }, issue);
}

/** The error with what a form reads of it. */
function withIssue(
  { message, nodes }: Pick<GraphQLError, 'message' | 'nodes'>,
  issue: Issue | undefined,
): GraphQLError {
  if (issue === undefined) return new GraphQLError(message, { nodes });
  const path = issue.path.map((key) => (typeof key === 'string' ? shortened(key) : key));
  return new GraphQLError(message, { nodes, extensions: issuesExtension([{ ...issue, path }]) });
}
