import type { FragmentDefinitionNode, GraphQLResolveInfo, ResponsePath } from 'graphql';
import type { ExecutedOperation, SelectedField } from './fields.ts';

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
