/** The fields that an operation selects of an object type: merged, with their arguments, for all objects of the type; and what their resolvers may ask. */

import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  type OperationDefinitionNode,
  type ResponsePath,
  type SelectionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
} from 'graphql';
import { collectFields, type Fragments, fragmentApplies } from '../../cost/selections.ts';
import { metaField } from '../../cost/sizes.ts';
import type { Values } from '../../documents/variables.ts';

export interface ExecutedOperation {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** Values of the variables, coerced. */
  readonly values: Values;
  readonly context: unknown;
  readonly rootValue: unknown;
}

export interface SelectedField {
  /** The key in the response. */
  readonly name: string;
  readonly nodes: readonly FieldNode[];
  readonly parentType: GraphQLObjectType;
  readonly definition: GraphQLField<unknown, unknown>;
  readonly type: GraphQLOutputType;
  /** Throws the error of arguments that cannot be coerced, for each object. */
  readonly resolve: GraphQLFieldResolver<unknown, unknown>;
  readonly args: Values;
}

/** In the order of the response. */
export function selectedFields(
  { schema, fragments, values }: ExecutedOperation,
  parentType: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): SelectedField[] {
  const { fields } = collectFields(sets, fragments, {
    includes: (selection) => isIncluded(selection, values),
    applies: (condition) => fragmentApplies(schema, parentType, condition),
  });
  return [...fields].flatMap(([name, nodes]) => {
    const [node] = nodes;
    const definition = node && definitionOf(schema, parentType, node.name.value);
    // Validation refuses unknown fields.
    if (node === undefined || definition === undefined) return [];
    const selected = { name, nodes, parentType, definition, type: definition.type };
    if (definition === TypeNameMetaFieldDef) return [{ ...selected, args: {}, resolve: () => parentType.name }];
    try {
      const args = getArgumentValues(definition, node, values);
      return [{ ...selected, args, resolve: definition.resolve ?? defaultFieldResolver }];
    } catch (error) {
      return [{ ...selected, args: {}, resolve: () => refuse(error) }];
    }
  });
}

/** @throws GraphQLError for a condition that a variable makes null */
const isIncluded = (selection: SelectionNode, values: Values): boolean =>
  getDirectiveValues(GraphQLSkipDirective, selection, values)?.if !== true &&
  getDirectiveValues(GraphQLIncludeDirective, selection, values)?.if !== false;

function refuse(error: unknown): never {
  throw error;
}

const definitionOf = (
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined =>
  name === TypeNameMetaFieldDef.name ? TypeNameMetaFieldDef : (metaField(schema, type, name) ?? type.getFields()[name]);

/** What a resolver may ask about its call. Few resolvers do, so each part is made when it is read. */
export class ResolveInfo implements GraphQLResolveInfo {
  readonly #executed: ExecutedOperation;
  readonly #field: SelectedField;
  readonly #parent: ResponsePath | undefined;

  constructor(executed: ExecutedOperation, field: SelectedField, parent: ResponsePath | undefined) {
    this.#executed = executed;
    this.#field = field;
    this.#parent = parent;
  }

  get fieldName(): string {
    return this.#field.definition.name;
  }
  get fieldNodes(): GraphQLResolveInfo['fieldNodes'] {
    return this.#field.nodes;
  }
  get returnType(): GraphQLResolveInfo['returnType'] {
    return this.#field.type;
  }
  get parentType(): GraphQLResolveInfo['parentType'] {
    return this.#field.parentType;
  }
  get path(): ResponsePath {
    return { prev: this.#parent, key: this.#field.name, typename: this.#field.parentType.name };
  }
  get schema(): GraphQLResolveInfo['schema'] {
    return this.#executed.schema;
  }
  get fragments(): Record<string, FragmentDefinitionNode> {
    return Object.fromEntries(this.#executed.fragments);
  }
  get rootValue(): unknown {
    return this.#executed.rootValue;
  }
  get operation(): GraphQLResolveInfo['operation'] {
    return this.#executed.operation;
  }
  get variableValues(): GraphQLResolveInfo['variableValues'] {
    return this.#executed.values;
  }
}
