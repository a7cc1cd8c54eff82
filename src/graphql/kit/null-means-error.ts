import type { GraphQLField } from 'graphql';

/** For the `extensions` of a field whose null means an error, where nothing else implies it. */
export const nullMeansError = { nullMeansError: true } as const;

export const saysNullMeansError = ({ extensions }: GraphQLField<unknown, unknown>): boolean =>
  extensions.nullMeansError === true;
