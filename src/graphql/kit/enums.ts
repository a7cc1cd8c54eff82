/**
 * Enums over the contract's vocabularies. A provider may send a value that is newer than this gateway: an output enum
 * falls back to UNRECOGNIZED, so that a new value never breaks a query.
 */

import { type GraphQLEnumType, type GraphQLSchema, isEnumType } from 'graphql';
import { entriesOf } from '../../kernel/lib/keys-of.ts';
import { builder } from './builder.ts';

const unrecognized = 'UNRECOGNIZED';

/** The GraphQL name of a value of the contract. */
type EnumName<Word extends string> = Uppercase<Word>;

/**
 * An enum of the keys of `descriptions`, under SCREAMING_SNAKE_CASE names. Resolvers use the contract's values.
 * @param options.read the enum is an output, so that it needs UNRECOGNIZED, and cannot be an input
 * @param options.verbatim keeps the contract's spelling, for values that clients look up as they are
 */
export function contractEnum<Word extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Word, string>>,
  { read = false, verbatim = false }: { readonly read?: boolean; readonly verbatim?: boolean } = {},
) {
  // Object.entries and Object.fromEntries do not keep the types of keys.
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
            // A resolver never returns it: `serialize` does, for any value that the enum does not have.
            value: unrecognized as Word,
            description: 'A value that this gateway does not know yet.',
          },
        }
      : values,
  });
}

/**
 * Two enums of the same values: one that is read, and one that is sent, which has no UNRECOGNIZED: its name begins with `Known`.
 * The parameters are those of {@link contractEnum}.
 */
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

/** What an enum makes of a value that it does not have; undefined if it fails. */
export const fallbackOf = (type: GraphQLEnumType): string | undefined => type.getValue(unrecognized)?.name;

/** Makes each enum that has UNRECOGNIZED serialize unknown values as it. */
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
