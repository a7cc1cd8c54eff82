/** The documents that were sent, remembered with everything that follows from each: computed once, on demand. */
import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RequestFacts } from '../../http/incoming-request.ts';
import { buildVersion } from '../../kernel/build-version.ts';
import { withoutStacks } from '../../kernel/errors.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { SpanOptions } from '../../telemetry/telemetry.ts';
import { type CostOf, createCosts } from '../cost/operation-cost.ts';
import { fragmentsOf } from '../cost/selections.ts';
import { type Plans, plansOf } from '../executors/compiled/plans.ts';
import { Declined } from '../executors/declined.ts';
import { maxAgeOf } from '../kit/cache-hint.ts';
import { shortErrors } from '../kit/errors.ts';
import { isIntrospection, isOfTool } from './introspection.ts';
import { parseWithinLimits, requireReasonableShape, validationRules } from './parse.ts';
import { type Coerce, coercion } from './variables.ts';

export interface KnowledgeOptions {
  readonly schema: GraphQLSchema;
  /** Whether the schema can be read. */
  readonly introspection: boolean;
  /** Sources of the lists that operations are compiled for; null: nothing is compiled. */
  readonly compiling: Ports | null;
}

export interface DocumentOf {
  /** The same object for equal texts, while remembered. @throws LimitError; GraphQLError for other text */
  (text: string): KnownDocument;
  remembers(text: string): boolean;
}

/** Parsing and validating take about half a microsecond a character. */
export const weightOfText = (text: string): number => text.length / 2;

/** Tokens of all remembered documents: a few clients', with capacity for large ones. A token takes up to 1 KB. */
const cachedTokens = 200_000;

interface RememberOptions {
  readonly trusted?: ReadonlyMap<string, DocumentNode>;
  readonly maxTokens?: number;
}

/** Failures are not kept: finding them again takes no longer than parsing. */
export function rememberedDocuments(
  options: KnowledgeOptions,
  { trusted = new Map(), maxTokens = cachedTokens }: RememberOptions = {},
): DocumentOf {
  const forGood = new Map(
    [...trusted].map(([text, document]) => [
      text,
      new KnownDocument(text, document, { ...options, grew: () => undefined }),
    ]),
  );
  const known = new LRUCache<string, KnownDocument>({ maxSize: maxTokens, sizeCalculation: ({ weight }) => weight });
  const grew = (document: KnownDocument): void => {
    // One that was evicted may have a successor.
    if (known.peek(document.text) !== document) return;
    // The cache reads the size of new entries only.
    known.delete(document.text);
    known.set(document.text, document);
  };
  const documentOf = (text: string) => {
    const found = forGood.get(text) ?? known.get(text);
    if (found !== undefined) return found;
    const document = new KnownDocument(text, parseDocument(text), { ...options, grew });
    known.set(text, document);
    return document;
  };
  return Object.assign(documentOf, { remembers: (text: string) => forGood.has(text) || known.has(text) });
}

export function parseDocument(text: string): DocumentNode {
  const document = parseWithinLimits(text);
  requireReasonableShape(document, fragmentsOf(document));
  return document;
}

/** In tokens. */
const weightOfCosts = 10;
const bytesPerToken = 256;
/** Comments and long strings are few tokens, but their text is kept. */
const charactersPerToken = 16;

export class KnownDocument {
  readonly text: string;
  readonly document: DocumentNode;
  readonly options: KnowledgeOptions;
  /** Memory of the document and all that is known of it, in tokens. */
  weight: number;
  readonly #grew: (document: KnownDocument) => void;
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

  find(operationName: string | null): KnownOperation | undefined {
    return this.#operations.get(operationName) ?? this.#know(operationName);
  }

  /** That of an operation without a name is `(unnamed)`. */
  get operationNames(): readonly string[] {
    return this.document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [definition.name?.value ?? '(unnamed)'] : [],
    );
  }

  #know(operationName: string | null): KnownOperation | undefined {
    const node = getOperationAST(this.document, operationName);
    if (!node) return undefined;
    const name = node.name?.value ?? null;
    // A request need not name the only one.
    const known = this.#operations.get(name) ?? new KnownOperation(this, node);
    this.#operations.set(operationName, known).set(name, known);
    return known;
  }

  get errors(): readonly GraphQLError[] {
    if (this.#errors === undefined) {
      this.#errors = errorsOf(this, validationRules);
      this.grow(this.#errors.length);
    }
    return this.#errors;
  }

  /** Why a document that asks for the schema is refused; null if it may, or does not ask. */
  get schemaError(): GraphQLError | null {
    if (this.#schemaError === undefined) this.#schemaError = this.#findSchemaError();
    return this.#schemaError;
  }

  grow(tokens: number): void {
    if (tokens === 0) return;
    this.weight += tokens;
    this.#grew(this);
  }

  #findSchemaError(): GraphQLError | null {
    return this.options.introspection ? null : (errorsOf(this, [NoSchemaIntrospectionCustomRule])[0] ?? null);
  }
}

/** Kept as long as the document: a stack would hold the whole state of the validation, 65 KB for the shortest. */
const errorsOf = ({ document, options: { schema } }: KnownDocument, rules: readonly ValidationRule[]) =>
  withoutStacks(() => shortErrors(validate(schema, document, rules)));

export class KnownOperation {
  readonly source: KnownDocument;
  readonly node: OperationDefinitionNode;
  readonly type: OperationTypeNode;
  readonly isIntrospection: boolean;
  readonly isOfTool: boolean;
  readonly facts: OperationFacts;
  readonly costOf: CostOf;
  readonly coerce: Coerce;
  #maxAge: number | undefined;
  #cacheId: string | undefined;
  #variableNames: readonly string[] | undefined;
  #plans: Plans | Declined | undefined;

  constructor(source: KnownDocument, node: OperationDefinitionNode) {
    const { schema } = source.options;
    this.source = source;
    this.node = node;
    this.type = node.operation;
    this.isIntrospection = isIntrospection(node);
    this.facts = operationFacts(node, source.text);
    this.isOfTool = isOfTool(source.document, node);
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

  /** In seconds, of a valid operation. */
  get maxAge(): number {
    this.#maxAge ??= maxAgeOf(this.source.options.schema, this.document, this.node);
    return this.#maxAge;
  }

  /** Key of its cached responses, in all processes of the same build. */
  get cacheId(): string {
    this.#cacheId ??= hash('sha256', JSON.stringify([buildVersion, this.source.text, this.node.name?.value ?? null]));
    return this.#cacheId;
  }

  get variableNames(): readonly string[] {
    this.#variableNames ??= (this.node.variableDefinitions ?? []).map(({ variable }) => variable.name.value).sort();
    return this.#variableNames;
  }

  /** Plans of a valid operation, or why it has none; null where nothing is compiled. */
  get plans(): Plans | Declined | null {
    const { schema, compiling } = this.source.options;
    if (compiling === null) return null;
    this.#plans ??= this.isIntrospection
      ? new Declined('introspection')
      : plansOf(schema, compiling, this.document, this.node, (bytes) =>
          this.source.grow(Math.trunc(bytes / bytesPerToken)),
        );
    return this.#plans;
  }
}

type OperationFacts = Pick<RequestFacts, 'operation' | 'operationType' | 'operationHash'>;

/** A client's name may be as long as its document. */
const maxName = 100;
/** 64 bits tell the documents of all clients apart. */
const hashDigits = 16;

function operationFacts({ name, operation }: OperationDefinitionNode, text: string): OperationFacts {
  return {
    ...(name === undefined ? {} : { operation: name.value.slice(0, maxName) }),
    operationType: operation,
    operationHash: hash('sha256', text).slice(0, hashDigits),
  };
}

export function spanOf({ operation, operationType = 'operation' }: OperationFacts): {
  readonly name: string;
  readonly options: SpanOptions;
} {
  return {
    name: operation === undefined ? operationType : `${operationType} ${operation}`,
    options: { attributes: { 'graphql.operation.name': operation, 'graphql.operation.type': operationType } },
  };
}
