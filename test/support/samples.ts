/** Valid and invalid values for the fields of the contract's bodies. */

/** For each field: values that are accepted, and values that are refused. */
export type Samples = Readonly<Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>>;

export const noText = [1, true, null, {}, []];
export const noFlag = ['true', 0, null];
export const noNumber = ['1', true, null];

/** For a field that is a URL. */
export const urls = {
  good: ['https://example.org/a?b=c', 'http://example.org'],
  bad: ['nowhere', '/path', 'ftp://example.org', 'https://user:pass@example.org/', 'https://exa mple.org', '', 1],
};
