/** Marks the fields of a connection and its edges that show the list's window. */
import type { GraphQLField } from 'graphql';

type Shows = 'items' | 'edges' | 'item';

export const shows = (window: Shows) => ({ window });

export const shownBy = ({ extensions }: GraphQLField<unknown, unknown>): Shows | undefined =>
  extensions.window as Shows | undefined;
