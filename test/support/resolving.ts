/** What resolvers of any field take, to call each field of a schema by itself. */
import { type GraphQLField, getNullableType, isInputObjectType, isListType, isRequiredArgument } from 'graphql';

/** An object that has whatever it is asked for. */
export const having = (value: unknown): object =>
  new Proxy(
    {},
    {
      get: (_target, name) => {
        if (typeof name === 'symbol' || name === 'then') return undefined;
        return name.endsWith('_ids') ? [value] : value;
      },
      has: () => true,
    },
  );

/** The arguments that a field requires. */
export const argumentsFor = ({ args }: GraphQLField<unknown, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    args.filter(isRequiredArgument).map(({ name, type }) => {
      const of = getNullableType(type);
      if (isInputObjectType(of)) return [name, {}];
      return [name, isListType(of) ? ['x'] : 'x'];
    }),
  );
