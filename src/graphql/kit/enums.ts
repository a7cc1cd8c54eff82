/** Enums of the contract. Output enums fall back to UNRECOGNIZED, so that a provider's new value breaks no query. */

import { type GraphQLEnumType, type GraphQLSchema, isEnumType } from 'graphql';
import { entriesOf } from '../../kernel/lib/objects.ts';
import { builder } from './builder.ts';

const unrecognized = 'UNRECOGNIZED';

type EnumName<Word extends string> = Uppercase<Word>;

/**
 * Enum of the keys of `descriptions` in SCREAMING_SNAKE_CASE. Resolvers use the contract's values.
 * @param options.read an output enum: it has UNRECOGNIZED, and cannot be an input
 * @param options.verbatim keeps the contract's spelling, for values that clients look up
 */
export function contractEnum<Word extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Word, string>>,
  { read = false, verbatim = false }: { readonly read?: boolean; readonly verbatim?: boolean } = {},
) {
  // Object.entries and Object.fromEntries lose the types of keys.
  const values = Object.fromEntries(
    entriesOf(descriptions).map(([word, wordDescription]) => [
      verbatim ? word : word.toUpperCase(),
      { value: word, description: wordDescription },
    ]),
  ) as Record<EnumName<Word>, { value: Word; description: string }>;
  return builder.enumType(name, {
    description,
    values: read
      ? {
          ...values,
          [unrecognized]: {
            // Resolvers never return it: `serialize` does, for unknown values.
            value: unrecognized as Word,
            description: 'A value that this gateway does not know yet.',
          },
        }
      : values,
  });
}

/** An output enum and an input enum of the same values; the latter has no UNRECOGNIZED and begins with `Known`. */
export function contractEnums<Word extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Word, string>>,
  { verbatim = false }: { readonly verbatim?: boolean } = {},
) {
  return {
    output: contractEnum(name, description, descriptions, { verbatim, read: true }),
    input: contractEnum(
      `Known${name}`,
      `${description} To be sent: the values of \`${name}\` that this gateway knows.`,
      descriptions,
      { verbatim },
    ),
  };
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
