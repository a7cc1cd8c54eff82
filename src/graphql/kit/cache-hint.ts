/**
 * Cache hints as in Apollo Server's `@cacheControl`: how long a response may be kept. A type has one in `extensions`, a
 * field may override it. Without a hint nothing is cached, so a new type is safe.
 *
 * They are not printed: other callers' mutations do not invalidate a client's own cache.
 */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../cost/selections.ts';

/** Seconds, or as long as the parent. */
export type CacheHint = { readonly maxAge: number } | { readonly inheritMaxAge: true };

/** For `extensions`. @param seconds `Infinity` for values that do not change by themselves */
export const maxAge = (seconds: number) => ({ cacheHint: { maxAge: seconds } });

/** For `extensions` of a type whose objects are read with their parents. */
export const inheritMaxAge = { cacheHint: { inheritMaxAge: true } } as const;

export const cacheHintOf = ({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }) =>
  extensions.cacheHint as CacheHint | undefined;

/**
 * Cache lifetime of an operation: the least of all that it selects, whatever its directives say.
 * @param document a valid one
 * @returns seconds; 0 if uncacheable, or if no hint limits it: then nothing is read, and caching not worth it
 */
export function maxAgeOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): number {
  const query = schema.getQueryType();
  if (operation.operation !== OperationTypeNode.QUERY || !query) return 0;
  const fragments = fragmentsOf(document);
  /**
   * Visited selection sets with the inherited age. A valid document has each in one type and the result is a minimum,
   * so each counts once; fragments that each spread the next one twice would take exponential time.
   */
  const counted = new Map<SelectionSetNode, Set<number>>();

  const ofSelections = (type: GraphQLCompositeType, set: SelectionSetNode, inherited: number): number => {
    const before = counted.get(set) ?? new Set();
    if (before.has(inherited)) return Number.POSITIVE_INFINITY;
    counted.set(set, before.add(inherited));
    return set.selections.reduce((least, selection) => {
      if (least === 0) return 0;
      if (selection.kind === Kind.FIELD) return Math.min(least, ofField(type, selection, inherited));
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments.get(selection.name.value);
      if (fragment === undefined) return 0;
      const condition = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
      const within = isCompositeType(condition) ? condition : type;
      return Math.min(least, ofSelections(within, fragment.selectionSet, inherited));
    }, Number.POSITIVE_INFINITY);
  };

  function ofField(type: GraphQLCompositeType, { name, selectionSet }: FieldNode, inherited: number): number {
    if (name.value === '__typename') return Number.POSITIVE_INFINITY;
    const field = 'getFields' in type ? type.getFields()[name.value] : undefined;
    // Introspection fields.
    if (field === undefined) return 0;
    const returned = getNamedType(field.type);
    const hint = cacheHintOf(field);
    if (!isCompositeType(returned)) return hint === undefined ? inherited : secondsOf(hint, inherited);
    const own = hint === undefined ? ageOfType(schema, returned, inherited) : secondsOf(hint, inherited);
    return selectionSet === undefined ? own : Math.min(own, ofSelections(returned, selectionSet, own));
  }

  const seconds = ofSelections(query, operation.selectionSet, 0);
  return Number.isFinite(seconds) ? seconds : 0;
}

/** Age of a type; of an abstract type the least, as any object may come. */
const ageOfType = (schema: GraphQLSchema, type: GraphQLCompositeType, inherited: number): number =>
  isAbstractType(type)
    ? Math.min(...schema.getPossibleTypes(type).map((each) => ageOfType(schema, each, inherited)))
    : secondsOf(cacheHintOf(type), inherited);

function secondsOf(hint: CacheHint | undefined, inherited: number): number {
  if (hint === undefined) return 0;
  return 'maxAge' in hint ? hint.maxAge : inherited;
}
