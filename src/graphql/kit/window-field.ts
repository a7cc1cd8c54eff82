/** Which fields of a connection and its edges show the window of the list: the others are about it. */
import type { GraphQLField } from 'graphql';

/** What of a connection a field shows: the items, the edges, or the item of one edge. */
type Shows = 'items' | 'edges' | 'item';

/** For the `extensions` of a field of a connection or edge. */
export const shows = (window: Shows) => ({ window });

/** What a field shows of the window; undefined for a field about the connection. */
export const shownBy = ({ extensions }: GraphQLField<unknown, unknown>): Shows | undefined =>
  // Nothing else writes this extension.
  extensions.window as Shows | undefined;
