/** Parsing within limits that protect the parser's stack, memory and time; and the rules of validation. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  Lexer,
  parse,
  type SelectionSetNode,
  SingleFieldSubscriptionsRule,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationRule,
} from 'graphql';
import { LimitError, operationLimits, requireWithin } from '../cost/limits.ts';
import { collectFields, type Filter, type Fragments, fragmentsOf, selectionSetsOf } from '../cost/selections.ts';

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closingBrackets: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** graphql-js counts lines for every error: thousands of errors in a hundred thousand lines would take minutes. */
const maxLocatedLines = 1_000;

/** @throws LimitError for a document too large or too deep; GraphQLError for one that is not GraphQL */
export function parseWithinLimits(text: string): DocumentNode {
  requireWithin('characters', text.length);
  requireShallow(text);
  const noLocation = hasMoreLines(text, maxLocatedLines);
  return parse(text, { maxTokens: operationLimits.tokens, noLocation });
}

/** Reads the tokens ahead of the parser, which recurses into every bracket. */
function requireShallow(text: string): void {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  for (let tokens = 0; tokens <= operationLimits.tokens; tokens += 1) {
    const kind = kindOfNext(lexer);
    if (kind === null || kind === TokenKind.EOF) return;
    if (opening.has(kind)) open += 1;
    if (closingBrackets.has(kind)) open -= 1;
    if (open > operationLimits.nesting) throw new LimitError('nesting', operationLimits.nesting);
  }
  throw new LimitError('tokens', operationLimits.tokens);
}

function kindOfNext(lexer: Lexer): string | null {
  try {
    return lexer.advance().kind;
  } catch {
    // The parser reports the error.
    return null;
  }
}

function hasMoreLines(text: string, max: number): boolean {
  let lines = 0;
  // GraphQL's line terminators; counting a CRLF twice does no harm.
  for (let at = 0; at < text.length && lines <= max; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) lines += 1;
  }
  return lines > max;
}

/** The validation knows neither variables nor which fragments can never apply. */
const everything: Filter = { includes: () => true, applies: () => true };

/** @throws LimitError for a document that would take too long to validate */
export function requireReasonableShape(document: DocumentNode, fragments: Fragments): void {
  let operations = 0;
  const walk = createWalk(fragments);
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) operations += 1;
    if ('selectionSet' in definition) walk([definition.selectionSet]);
  }
  requireWithin('operations', operations);
}

function createWalk(fragments: Fragments) {
  const aliased = new Set<FieldNode>();
  let selections = 0;
  let comparisons = 0;
  /** Field levels below each unmerged selection set; 0 while it is being measured. */
  const heights = new Map<SelectionSetNode, number>();

  const measure = (sets: readonly SelectionSetNode[], depth: number): number => {
    const [alone, ...others] = sets;
    if (alone === undefined) return 0;
    const known = others.length === 0 ? heights.get(alone) : undefined;
    const height = known ?? descend(sets, depth);
    if (depth + height > operationLimits.depth) throw new LimitError('depth', operationLimits.depth);
    return height;
  };

  const descend = (sets: readonly SelectionSetNode[], depth: number): number => {
    if (depth >= operationLimits.depth) throw new LimitError('depth', operationLimits.depth);
    // Ends a fragment cycle, which the validation reports.
    if (sets.length === 1) for (const set of sets) heights.set(set, 0);
    const { fields, fragments: spread } = collectFields(sets, fragments, everything);
    comparisons += spread * (spread - 1);
    let height = 0;
    for (const nodes of fields.values()) {
      selections += nodes.length;
      comparisons += nodes.length * (nodes.length - 1);
      for (const node of nodes) if (node.alias !== undefined) aliased.add(node);
      requireWithin('selections', selections);
      requireWithin('comparisons', comparisons);
      requireWithin('aliases', aliased.size);
      height = Math.max(height, 1 + measure(selectionSetsOf(nodes), depth + 1));
    }
    if (sets.length === 1) for (const set of sets) heights.set(set, height);
    return height;
  };

  return (sets: readonly SelectionSetNode[]) => measure(sets, 0);
}

/**
 * One root field per subscription. The rule of graphql-js evaluates `@skip` and `@include` without variables, and so
 * refuses every subscription with a variable there. This one counts all fields; execution looks at which are left.
 */
const SingleRootFieldRule: ValidationRule = (context) => ({
  OperationDefinition({ operation, name, selectionSet }) {
    if (operation !== 'subscription') return;
    const fragments = fragmentsOf(context.getDocument());
    const { fields } = collectFields([selectionSet], fragments, everything);
    const [, ...nodes] = [...fields.values()].flatMap(([first]) => first ?? []);
    const subject = name === undefined ? 'Anonymous Subscription' : `Subscription "${name.value}"`;
    if (nodes.length > 0) {
      context.reportError(new GraphQLError(`${subject} must select only one top level field.`, { nodes }));
    }
    for (const [first] of fields.values()) {
      if (!first?.name.value.startsWith('__')) continue;
      const message = `${subject} must not select an introspection top level field.`;
      context.reportError(new GraphQLError(message, { nodes: first }));
    }
  },
});

export const validationRules: readonly ValidationRule[] = specifiedRules.map((rule) =>
  rule === SingleFieldSubscriptionsRule ? SingleRootFieldRule : rule,
);
