/** The schema for composers of Federation 2: print.ts with entity keys and definitions of all directives. */
import {
  type ConstDirectiveNode,
  type DirectiveDefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  Kind,
  parse,
  print,
  type TypeDefinitionNode,
  visit,
} from 'graphql';
import { costDirective } from '../cost/directives.ts';
import { requiresScopesDirective } from '../kit/required-scopes.ts';
import { semanticNonNullDirective } from '../kit/semantic-nullability.ts';
import { printedForComposers } from '../schema/print.ts';
import { entityKeysOf } from './keys.ts';

/** 2.9 is the first version with costs. */
const federation = {
  url: 'https://specs.apollo.dev/federation/v2.9',
  directives: definitionsIn(`
    directive @composeDirective(name: String!) repeatable on SCHEMA
    directive @cost(weight: Int!) on ARGUMENT_DEFINITION | ENUM | FIELD_DEFINITION | INPUT_FIELD_DEFINITION | OBJECT | SCALAR
    directive @key(fields: federation__FieldSet!, resolvable: Boolean = true) repeatable on OBJECT | INTERFACE
    directive @listSize(assumedSize: Int, slicingArguments: [String!], sizedFields: [String!], requireOneSlicingArgument: Boolean = true) on FIELD_DEFINITION
    directive @shareable repeatable on OBJECT | FIELD_DEFINITION
  `),
} as const;

/**
 * Directives that a supergraph keeps, by the URL of their specification: its clients know which null is an error. `@oneOf` is
 * none of them: tools that print a schema anew leave its definition out, and composers refuse to compose what is not defined.
 */
const composed: Readonly<Record<string, string>> = {
  [semanticNonNullDirective.name]: 'https://specs.apollo.dev/nullability/v0.4',
};

/** graphql-js does not print `@oneOf`, and Apollo's composer refuses unknown directives. */
const supportingDefinitions = parse(`
  directive @oneOf on INPUT_OBJECT
  directive @link(url: String!, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
  enum link__Purpose { SECURITY EXECUTION }
  scalar link__Import
  scalar federation__FieldSet
`).definitions;

/** Types that are the same in all subgraphs. */
const shareable: ReadonlySet<string> = new Set(['PageInfo']);

function definitionsIn(text: string): readonly DirectiveDefinitionNode[] {
  return parse(text).definitions.filter((definition) => definition.kind === Kind.DIRECTIVE_DEFINITION);
}

export function subgraphSdl(schema: GraphQLSchema): string {
  const withKeys = <Node extends TypeDefinitionNode>(node: Node): Node => {
    const keys = entityKeysOf(schema.getType(node.name.value)).map((key) => `@key(fields: "${key}")`);
    const added = directives([...keys, ...(shareable.has(node.name.value) ? ['@shareable'] : [])]);
    return { ...node, directives: [...added, ...(node.directives ?? [])] };
  };
  const document = visit(withDefinitions(parse(printedForComposers(schema))), {
    SchemaDefinition: (node) => ({ ...node, directives: links() }),
    ObjectTypeDefinition: withKeys,
    InterfaceTypeDefinition: withKeys,
    FieldDefinition: withNumericSizes,
    Directive: (node) => (node.name.value === costDirective.name ? withNumber(node) : undefined),
  });
  return `${print(document)}\n`;
}

function withDefinitions({ definitions, ...document }: DocumentNode): DocumentNode {
  const names = new Set([...federation.directives.map(({ name }) => name.value), requiresScopesDirective.name]);
  const kept = definitions.filter((each) => each.kind !== Kind.DIRECTIVE_DEFINITION || !names.has(each.name.value));
  return { ...document, definitions: [...kept, ...federation.directives, ...supportingDefinitions] };
}

function links(): readonly ConstDirectiveNode[] {
  const link = (url: string, names: readonly string[]) =>
    `@link(url: "${url}", import: [${names.map((name) => `"@${name}"`).join(', ')}])`;
  return directives([
    link(
      federation.url,
      federation.directives.map(({ name }) => name.value),
    ),
    ...Object.entries(composed).flatMap(([name, url]) => [link(url, [name]), `@composeDirective(name: "@${name}")`]),
  ]);
}

function directives(texts: readonly string[]): readonly ConstDirectiveNode[] {
  const [definition] = parse(`scalar Any ${texts.join(' ')}`).definitions;
  return definition?.kind === Kind.SCALAR_TYPE_DEFINITION ? (definition.directives ?? []) : [];
}

/** Federation takes sizes from numbers only: a list sized by a list argument keeps its assumed size. */
function withNumericSizes(field: FieldDefinitionNode): FieldDefinitionNode {
  const isNumber = (name: string): boolean =>
    field.arguments?.some((argument) => argument.name.value === name && /^Int!?$/.test(print(argument.type))) ?? false;
  return visit(field, {
    Argument: ({ name, value }) =>
      name.value === 'slicingArguments' &&
      value.kind === Kind.LIST &&
      value.values.some((each) => each.kind === Kind.STRING && !isNumber(each.value))
        ? null
        : undefined,
  });
}

/** IBM's weights are texts, Federation's numbers. */
const withNumber = (node: DirectiveNode): DirectiveNode =>
  visit(node, { StringValue: ({ value }) => ({ kind: Kind.INT, value }) });
