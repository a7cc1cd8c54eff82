/** What follows from a document and the name of an operation: each part is computed once, when it is first asked for. */
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  validate,
} from 'graphql';
import { buildVersion } from '../../kernel/build-version.ts';
import type { Ports } from '../../kernel/ports.ts';
import { chosenOperation } from '../cost/operation-cost.ts';
import { type Plans, plansOf } from '../executors/compiled/plans.ts';
import { Declined } from '../executors/declined.ts';
import { type Introspect, isIntrospection, type Project } from '../executors/introspection.ts';
import { maxAgeOf } from '../kit/max-age.ts';
import { shortErrors } from '../short-errors.ts';
import { type CostOf, createCosts } from './costs.ts';
import { type OperationFacts, operationFacts } from './operation-facts.ts';
import { validationRules } from './validation-rules.ts';
import { type Coerce, coercion } from './variables.ts';

export interface KnowledgeOptions {
  readonly schema: GraphQLSchema;
  /** Recognizes the introspection of tools; null where the schema cannot be read. */
  readonly introspect: Introspect | null;
  /** Where the lists are read that operations are compiled for; null where none is. */
  readonly compiling: Ports | null;
}

/** Tokens that what is kept of an operation's costs weighs as much as. */
const weightOfCosts = 10;
/** Bytes that weigh as much as a token. */
const bytesPerToken = 256;
/** Comments and long strings are few tokens, but their text is kept. */
const charactersPerToken = 16;

/** A document within the limits of its shape, with its operations. */
export class KnownDocument {
  readonly text: string;
  readonly document: DocumentNode;
  readonly options: KnowledgeOptions;
  /** What it takes in memory with all that is known of it, in tokens. */
  weight: number;
  readonly #grew: (document: KnownDocument) => void;
  /** By the names that chose them. */
  readonly #operations = new Map<string | null, KnownOperation>();
  #errors: readonly GraphQLError[] | undefined;
  #schemaError: GraphQLError | null | undefined;

  constructor(
    text: string,
    document: DocumentNode & { readonly tokenCount?: number },
    { grew, ...options }: KnowledgeOptions & { readonly grew: (document: KnownDocument) => void },
  ) {
    this.text = text;
    this.document = document;
    this.options = options;
    this.#grew = grew;
    this.weight = Math.max(document.tokenCount ?? 1, Math.ceil(text.length / charactersPerToken)) + weightOfCosts;
  }

  /** The operation that a request chooses; undefined if it chooses none. */
  find(operationName: string | null): KnownOperation | undefined {
    return this.#operations.get(operationName) ?? this.#know(operationName);
  }

  #know(operationName: string | null): KnownOperation | undefined {
    const node = chosenOperation(this.document, operationName);
    if (node === undefined) return undefined;
    const name = node.name?.value ?? null;
    // A request need not name the only one.
    const known = this.#operations.get(name) ?? new KnownOperation(this, node);
    this.#operations.set(operationName, known).set(name, known);
    return known;
  }

  /** What graphql-js says against the document, short enough to be sent. */
  get errors(): readonly GraphQLError[] {
    if (this.#errors === undefined) {
      this.#errors = shortErrors(validate(this.options.schema, this.document, validationRules));
      this.grow(this.#errors.length);
    }
    return this.#errors;
  }

  /** Why a document that asks for the schema, by whichever operation, is refused; null where it may, or does not. */
  get schemaError(): GraphQLError | null {
    if (this.#schemaError === undefined) this.#schemaError = this.#findSchemaError();
    return this.#schemaError;
  }

  /** Adds to the weight. */
  grow(tokens: number): void {
    if (tokens === 0) return;
    this.weight += tokens;
    this.#grew(this);
  }

  #findSchemaError(): GraphQLError | null {
    const { introspect, schema } = this.options;
    if (introspect !== null) return null;
    return validate(schema, this.document, [NoSchemaIntrospectionCustomRule], { maxErrors: 1 })[0] ?? null;
  }
}

export class KnownOperation {
  readonly source: KnownDocument;
  readonly node: OperationDefinitionNode;
  readonly type: OperationTypeNode;
  /** Whether it asks for the schema only, which needs no API key. */
  readonly isIntrospection: boolean;
  /** What the log, metrics and traces say of it. */
  readonly facts: OperationFacts;
  readonly costOf: CostOf;
  readonly coerce: Coerce;
  #maxAge: number | undefined;
  #cacheId: string | undefined;
  #variableNames: readonly string[] | undefined;
  #project: Project | null | undefined;
  #plans: Plans | Declined | undefined;

  constructor(source: KnownDocument, node: OperationDefinitionNode) {
    const { schema } = source.options;
    this.source = source;
    this.node = node;
    this.type = node.operation;
    this.isIntrospection = isIntrospection(node);
    this.facts = operationFacts(node, source.text);
    this.costOf = createCosts(schema, source.document, node);
    this.coerce = coercion(schema, node);
  }

  get document(): DocumentNode {
    return this.source.document;
  }

  get isMutation(): boolean {
    return this.type === OperationTypeNode.MUTATION;
  }

  get isSubscription(): boolean {
    return this.type === OperationTypeNode.SUBSCRIPTION;
  }

  /** For how long its response may be cached, in seconds. Of a valid operation only. */
  get maxAge(): number {
    this.#maxAge ??= maxAgeOf(this.source.options.schema, this.document, this.node);
    return this.#maxAge;
  }

  /** Tells what is cached of it from what is cached of others, in all processes with the same build. */
  get cacheId(): string {
    this.#cacheId ??= hash('sha256', JSON.stringify([buildVersion, this.source.text, this.node.name?.value ?? null]));
    return this.#cacheId;
  }

  /** The names of its variables, in order. */
  get variableNames(): readonly string[] {
    this.#variableNames ??= (this.node.variableDefinitions ?? []).map(({ variable }) => variable.name.value).sort();
    return this.#variableNames;
  }

  /** Prints the response to a tool's introspection; null for any other operation. */
  get project(): Project | null {
    if (this.#project === undefined) {
      this.#project = this.source.options.introspect?.(this.document, this.node) ?? null;
    }
    return this.#project;
  }

  /** The plans of a valid operation, or why it has none; null where nothing is compiled. */
  get plans(): Plans | Declined | null {
    const { schema, compiling } = this.source.options;
    if (compiling === null) return null;
    this.#plans ??= this.isIntrospection
      ? new Declined('introspection')
      : plansOf(schema, compiling, this.document, this.node, (bytes) =>
          this.source.grow(Math.ceil(bytes / bytesPerToken)),
        );
    return this.#plans;
  }
}
