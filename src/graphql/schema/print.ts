/** Prints `schema.graphql`: sorted by name, for small diffs, and with directives, which graphql-js does not print. */
import {
  astFromValue,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLOneOfDirective,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  print,
  printSchema,
} from 'graphql';
import {
  type CostDirectives,
  costDirective,
  defaultWeight,
  directivesOf,
  listSizeDirective,
} from '../cost/directives.ts';
import { requiredScopesOf, requiresScopesDirective } from '../kit/required-scopes.ts';
import { semanticNonNullDirective, semanticNonNullOf } from '../kit/semantic-nullability.ts';

/** As a file: tools with a graphql-js older than 16.9 know no `@oneOf`, and read it where it is defined. */
export const printedSchema = (schema: GraphQLSchema): string =>
  printed(schema).replace(/^schema \{[^}]*\}\n/m, `$&\n${definitionOf(GraphQLOneOfDirective)}\n`);

/**
 * Without definitions of what the specification has: composers define that themselves. With every cost: routers count a
 * value as nothing where none is said. Without scopes: routers would look for them in tokens of their own.
 */
export const printedForComposers = (schema: GraphQLSchema): string => printed(schema, true);

const printed = (schema: GraphQLSchema, forComposers = false): string =>
  `${withDirectives(schema, printSchema(lexicographicSortSchema(schema)), forComposers)}\n`;

const definitionOf = ({ description, name, locations }: GraphQLDirective): string =>
  `"""${description}"""\ndirective @${name} on ${locations.join(' | ')}`;

function withDirectives(schema: GraphQLSchema, text: string, forComposers: boolean): string {
  const costIn = ({ cost }: CostDirectives) => (forComposers || cost?.weight !== defaultWeight ? cost : undefined);
  let fields: Readonly<Record<string, GraphQLField<unknown, unknown>>> = {};
  let directives = '';
  let isDescription = false;
  let isInterface = false;
  const lines = text.split('\n').map((line) => {
    const quotes = line.split('"""').length - 1;
    if (quotes === 1) isDescription = !isDescription;
    if (isDescription || quotes > 0) return line;
    const [, typeName] = /^(?:type|interface|input|enum|union|scalar|directive) @?(\w+)/.exec(line) ?? [];
    if (typeName !== undefined) {
      const type = schema.getType(typeName);
      fields = fieldsOf(type);
      directives = '';
      isInterface = line.startsWith('interface');
      if (isObjectType(type)) return line.replace(/ ?\{$/, `${directive(costDirective, costIn(directivesOf(type)))} {`);
    }
    // A field is indented once; its arguments stand on lines between its name and its type.
    const [, fieldName = ''] = /^ {2}(\w+)[(:]/.exec(line) ?? [];
    const field = fields[fieldName];
    // The specification weighs object fields only: an interface's field costs what its dearest object has.
    if (field !== undefined) {
      const scopes = forComposers ? undefined : requiredScopesOf(field);
      const cost = isInterface ? undefined : costIn(directivesOf(field));
      directives = `${directive(requiresScopesDirective, scopes)}${directivesIn(field, cost)}`;
    }
    return directives !== '' && /^ {2}(?:\w+|\)): /.test(line) ? `${line}${directives}` : line;
  });
  return lines.join('\n');
}

function fieldsOf(type: GraphQLNamedType | undefined): Readonly<Record<string, GraphQLField<unknown, unknown>>> {
  if (!isObjectType(type) && !isInterfaceType(type)) return {};
  return type.getFields();
}

function directivesIn(field: GraphQLField<unknown, unknown>, weight: CostDirectives['cost']): string {
  const { listSize } = directivesOf(field);
  const nullability = directive(semanticNonNullDirective, semanticNonNullOf(field));
  return `${nullability}${directive(costDirective, weight)}${directive(listSizeDirective, listSize)}`;
}

function directive({ name, args }: typeof costDirective, values: object | undefined): string {
  if (values === undefined) return '';
  const given = new Map<string, unknown>(Object.entries(values));
  const printed = args.flatMap((argument) => {
    const value = astFromValue(given.get(argument.name), argument.type);
    if (!given.has(argument.name) || !value) return [];
    const byDefault = argument.defaultValue === undefined ? null : astFromValue(argument.defaultValue, argument.type);
    return byDefault && print(byDefault) === print(value) ? [] : [`${argument.name}: ${print(value)}`];
  });
  return printed.length === 0 ? ` @${name}` : ` @${name}(${printed.join(', ')})`;
}
