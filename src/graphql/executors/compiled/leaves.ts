/** How the leaves of the schema are printed. A type that has no rule here, and declares none, is not compiled. */
import { GraphQLBoolean, GraphQLFloat, GraphQLID, type GraphQLLeafType, GraphQLString, isEnumType } from 'graphql';
import type { LeafRule } from '../../../splice/plan.ts';
import { fallbackOf } from '../../kit/enums.ts';
import { Declined } from '../declined.ts';

const rules = new Map<GraphQLLeafType, LeafRule>([
  [GraphQLString, 'string'],
  // Ids of a network are strings. A number in the place of one is for graphql-js to print.
  [GraphQLID, 'string'],
  [GraphQLFloat, 'number'],
  [GraphQLBoolean, 'boolean'],
]);

/** For the `extensions` of a scalar. */
export const printedAs = (rule: LeafRule) => ({ leafRule: rule });

/** @throws Declined for a type without a rule */
export function leafRuleOf(type: GraphQLLeafType): LeafRule {
  // Nothing else writes this extension.
  const rule = rules.get(type) ?? (type.extensions.leafRule as LeafRule | undefined);
  if (rule !== undefined) return rule;
  const fallback = isEnumType(type) ? fallbackOf(type) : undefined;
  if (!isEnumType(type) || fallback === undefined) throw new Declined(`${type.name} has no rule for printing`);
  const mapping = type.getValues().map(({ name, value }): [string, string] => [String(value), JSON.stringify(name)]);
  return { mapping: Object.fromEntries(mapping), otherwise: JSON.stringify(fallback) };
}
