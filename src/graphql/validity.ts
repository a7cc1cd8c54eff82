/** Whether a document is valid: looked into once, as long as the document is remembered. */
import { type DocumentNode, type GraphQLSchema, NoSchemaIntrospectionCustomRule, validate } from 'graphql';
import { Fallback } from './fallback.ts';

/** @returns why the executor refuses a document, or null. */
export type RefusalOf = (document: DocumentNode) => Fallback | null;

/** @param introspection whether the schema can be read */
export function createValidity(schema: GraphQLSchema, introspection: boolean): RefusalOf {
  const known = new WeakMap<DocumentNode, Fallback | null>();
  const refusalOf: RefusalOf = (document) => {
    // All errors are told by the executor.
    if (validate(schema, document, undefined, { maxErrors: 1 }).length > 0) return new Fallback('invalid');
    // Also where another operation asks for it.
    const asksForSchema = () =>
      validate(schema, document, [NoSchemaIntrospectionCustomRule], { maxErrors: 1 }).length > 0;
    return !introspection && asksForSchema() ? new Fallback('introspection') : null;
  };
  return (document) => {
    const found = known.get(document);
    if (found !== undefined) return found;
    const refusal = refusalOf(document);
    known.set(document, refusal);
    return refusal;
  };
}
