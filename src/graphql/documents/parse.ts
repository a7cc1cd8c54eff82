/** Documents: parsed within limits that keep the parser from running out of stack, memory or time. */
import { type DocumentNode, Lexer, parse, Source, TokenKind } from 'graphql';
import { LimitError, operationLimits, requireWithin } from '../cost/limits.ts';

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Lines up to which errors say where in the document they occurred. For every error, graphql-js counts the lines from
 * the start: thousands of errors in a document of a hundred thousand lines would take minutes.
 */
const maxLocatedLines = 1_000;

/**
 * The parsed document.
 * @throws LimitError for one that is too large or nested too deeply; GraphQLError for one that is not GraphQL
 */
export function parseWithinLimits(text: string): DocumentNode {
  requireWithin('characters', text.length);
  requireShallow(text);
  const noLocation = hasMoreLines(text, maxLocatedLines);
  return parse(text, { maxTokens: operationLimits.tokens, noLocation });
}

/** Reads the tokens ahead of the parser, which recurses into every bracket. What is no token, the parser reports. */
function requireShallow(text: string): void {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  for (let tokens = 0; tokens <= operationLimits.tokens; tokens += 1) {
    const kind = kindOfNext(lexer);
    if (kind === null || kind === TokenKind.EOF) return;
    if (opening.has(kind)) open += 1;
    if (closing.has(kind)) open -= 1;
    if (open > operationLimits.nesting) throw new LimitError('nesting', operationLimits.nesting);
  }
  throw new LimitError('tokens', operationLimits.tokens);
}

function kindOfNext(lexer: Lexer): string | null {
  try {
    return lexer.advance().kind;
  } catch {
    // The parser stops at the same place, and says what is wrong there.
    return null;
  }
}

function hasMoreLines(text: string, max: number): boolean {
  let lines = 0;
  // The line terminators of GraphQL; a CRLF counts twice, which does no harm.
  for (let at = 0; at < text.length && lines <= max; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) lines += 1;
  }
  return lines > max;
}
