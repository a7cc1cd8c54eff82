/**
 * Enums over the contract's vocabularies. What a provider sends may be newer than this gateway: an enum that is read
 * has a value UNRECOGNIZED for it, so that one new word never costs an answer.
 */
import { type GraphQLEnumType, GraphQLError, type GraphQLSchema, isEnumType } from 'graphql';
import { builder } from './builder.ts';

const unrecognized = 'UNRECOGNIZED';

/** The GraphQL name of a word of the contract. */
type EnumName<Word extends string> = Uppercase<Word>;

/**
 * An enum of the words of `descriptions`, under SCREAMING_SNAKE_CASE names; inside, its values are the words themselves.
 * @param options.read the enum is part of answers, so that it must take words it does not know
 */
export function contractEnum<Word extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<Word, string>>,
  { read = false, verbatim = false }: { readonly read?: boolean; readonly verbatim?: boolean } = {},
) {
  const values = Object.fromEntries(
    (Object.entries(descriptions) as [Word, string][]).map(([word, wordDescription]) => [
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
            value: unrecognized as Word,
            description: 'A value that this gateway does not know yet. It is never an input.',
          },
        }
      : values,
  });
}

/** Makes every enum that has UNRECOGNIZED answer unknown words with it, and refuse it as an input. */
export function allowUnknownValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type) && type.getValue(unrecognized) !== undefined) tolerate(type);
  }
  return schema;
}

function tolerate(type: GraphQLEnumType): void {
  const names = new Map(type.getValues().map(({ name, value }) => [value, name]));
  const parseValue = type.parseValue.bind(type);
  const parseLiteral = type.parseLiteral.bind(type);
  const refuse = () => {
    throw new GraphQLError(`${type.name}.${unrecognized} is only ever returned: it cannot be an input`);
  };
  type.serialize = (value) => names.get(value) ?? unrecognized;
  type.parseValue = (value) => (value === unrecognized ? refuse() : parseValue(value));
  type.parseLiteral = (node, variables) =>
    'value' in node && node.value === unrecognized ? refuse() : parseLiteral(node, variables);
}
