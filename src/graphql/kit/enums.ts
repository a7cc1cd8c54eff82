/**
 * Enums of the contract. Those that are read fall back to UNRECOGNIZED, so that a provider's new value breaks no query. As
 * an input it is a word that no operation knows: its shape refuses it at its path.
 */

import { type GraphQLEnumType, type GraphQLSchema, isEnumType } from 'graphql';
import { entriesOf } from '../../kernel/lib/objects.ts';
import { builder } from './builder.ts';

const unrecognized = 'UNRECOGNIZED';

/** `WebhookIcon` and `created_at_asc` are WEBHOOK_ICON and CREATED_AT_ASC. */
export const enumName = (word: string): string => word.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();

/**
 * Enum of the keys of `descriptions` in SCREAMING_SNAKE_CASE. Resolvers use the contract's values.
 * @param options.read whether it has UNRECOGNIZED, for what a service sends
 */
export function contractEnum<Word extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Word, string>>,
  { read = false }: { readonly read?: boolean } = {},
) {
  // Object.entries and Object.fromEntries lose the types of keys.
  const values = Object.fromEntries(
    entriesOf(descriptions).map(([word, wordDescription]) => [
      enumName(word),
      { value: word, description: wordDescription },
    ]),
  ) as Record<string, { value: Word; description: string }>;
  return builder.enumType(name, {
    description,
    values: read
      ? {
          ...values,
          [unrecognized]: {
            // Resolvers never return it: `serialize` does, for unknown values.
            value: unrecognized as Word,
            description: 'Unknown to this gateway.',
          },
        }
      : values,
  });
}

export const fallbackOf = (type: GraphQLEnumType): string | undefined => type.getValue(unrecognized)?.name;

export function allowUnknownValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type) && type.getValue(unrecognized) !== undefined) tolerate(type);
  }
  return schema;
}

function tolerate(type: GraphQLEnumType): void {
  const names = new Map(type.getValues().map(({ name, value }) => [value, name]));
  type.serialize = (value) => names.get(value) ?? unrecognized;
}
