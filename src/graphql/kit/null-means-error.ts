import type { GraphQLField } from 'graphql';

/** For the `extensions` of a field of which null means an error, where that does not follow from what the field is. */
export const nullMeansError = { nullMeansError: true } as const;

export const saysNullMeansError = ({ extensions }: GraphQLField<unknown, unknown>): boolean =>
  extensions.nullMeansError === true;
