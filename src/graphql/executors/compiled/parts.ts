import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import type { LeafRule, Part } from '../../../splice/plan.ts';
import { fallbackOf } from '../../kit/enums.ts';
import { Declined } from '../declined.ts';

export interface MutableShape {
  [key: string]: 'leaf' | { readonly object: MutableShape } | { readonly list: MutableShape | 'leaf' };
}

/** Several fields and types may read one value. @throws Declined for another kind of value */
export function addShape(shape: MutableShape, key: string, value: MutableShape[string]): void {
  const before = Object.hasOwn(shape, key) ? shape[key] : undefined;
  if (before === undefined) {
    shape[key] = value;
    return;
  }
  if (before === 'leaf' || value === 'leaf') {
    if (before !== value) throw new Declined(`"${key}" is read as an object and as a leaf`);
    return;
  }
  const [ofBefore, ofValue] = [innerOf(before), innerOf(value)];
  if (ofBefore.kind !== ofValue.kind) throw new Declined(`"${key}" is read as ${ofBefore.kind} and ${ofValue.kind}`);
  for (const [innerKey, inner] of Object.entries(ofValue.shape)) addShape(ofBefore.shape, innerKey, inner);
}

function innerOf(value: Exclude<MutableShape[string], 'leaf'>): { kind: string; shape: MutableShape } {
  if ('object' in value) return { kind: 'an object', shape: value.object };
  return value.list === 'leaf' ? { kind: 'a list of leaves', shape: {} } : { kind: 'a list', shape: value.list };
}

export const textPart = (value: string): Part => ({ kind: 'text', text: value });

const rules = new Map<GraphQLLeafType, LeafRule>([
  [GraphQLString, 'string'],
  // Ids are strings: graphql-js prints a number in their place.
  [GraphQLID, 'string'],
  [GraphQLFloat, 'number'],
  [GraphQLBoolean, 'boolean'],
  [GraphQLInt, 'integer'],
]);

/** For the `extensions` of a scalar. */
export const printedAs = (rule: LeafRule) => ({ leafRule: rule });

export function leafRuleOf(type: GraphQLLeafType): LeafRule {
  // Nothing else writes this extension.
  const rule = rules.get(type) ?? (type.extensions.leafRule as LeafRule | undefined);
  if (rule !== undefined) return rule;
  if (!isEnumType(type)) throw new Declined(`${type.name} has no rule for printing`);
  const fallback = fallbackOf(type);
  const mapping = type.getValues().map(({ name, value }): [string, string] => [String(value), JSON.stringify(name)]);
  return { mapping: Object.fromEntries(mapping), otherwise: fallback === undefined ? null : JSON.stringify(fallback) };
}

/** Rule for an enum's words, found by others. @throws Declined for a type that is no enum */
export function wordsRuleOf(type: GraphQLLeafType, words: Readonly<Record<string, string>>): LeafRule {
  const rule = leafRuleOf(type);
  if (typeof rule === 'string') throw new Declined(`${type.name} has no words`);
  const mapping = Object.entries(words).map(([key, word]) => [key, rule.mapping[word] ?? rule.otherwise ?? 'null']);
  return { mapping: Object.fromEntries(mapping), otherwise: 'null' };
}
