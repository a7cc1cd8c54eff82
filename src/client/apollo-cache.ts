import { fieldsOfPages, partTypes } from './cached-types.ts';
import { mergePages, type Page } from './merge-pages.ts';
import { possibleTypes } from './possible-types.ts';

interface MergeOptions {
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly readField: (name: string, from: Reference) => unknown;
}

interface Reference {
  readonly __ref: string;
}

/** A list of pages. Lists with other arguments are other lists, except for the two that choose a page. */
const pages = {
  keyArgs: (args: MergeOptions['args']) =>
    Object.keys(args ?? {}).filter((name) => name !== 'first' && name !== 'after'),
  merge(
    list: Page<{ readonly node: Reference }> | undefined,
    page: Page<{ readonly node: Reference }>,
    { args, readField }: MergeOptions,
  ) {
    // A list that is read by `nodes` is not paged.
    if (!args?.after || !page.edges) return { ...list, ...page };
    return mergePages(list, page, ({ node }) => readField('id', node));
  },
};

const ofParts = partTypes.map((type) => [type, { merge: true }] as const);
const ofLists = Object.entries(fieldsOfPages).map(([type, names]) => {
  const fields = Object.fromEntries(names.map((name) => [name, pages]));
  return [type, partTypes.includes(type) ? { fields, merge: true } : { fields }] as const;
});

/**
 * What `new InMemoryCache(apolloCache)` of Apollo Client needs to know: fragments on interfaces and unions match, two selections of an
 * object that is no `Node` add up, and the pages of a list become one list, if it is read by `edges` and `pageInfo`.
 */
export const apolloCache = { possibleTypes, typePolicies: Object.fromEntries([...ofParts, ...ofLists]) };
