/** The page for people whose accounts have job postings and posts. */
import type { Route } from '../../http/router.ts';
import { jobsAndPostsPage, type ServedPages } from '../bar.ts';
import { clientPageRoutes } from '../client-page.ts';
import { dataElement } from '../html.ts';

const folder = new URL('./browser/', import.meta.url);

/** Identifiers to try, with their descriptions, by type of account. */
type Suggestions = Readonly<Record<string, readonly (readonly [identifier: string, description: string])[]>>;

interface JobsAndPosts extends ServedPages {
  /** Whether the schema has a list of job postings: without it, the page has posts alone. */
  readonly hasJobs: boolean;
  readonly suggestions: Suggestions;
  /** Where the pictures of the sandbox are; null if it has none. */
  readonly sandboxPictures: string | null;
}

export function jobsAndPostsRoutes({ hasJobs, suggestions, sandboxPictures, ...served }: JobsAndPosts): Route[] {
  // Networks have their pictures where they like.
  const pictures = `'self' https:${sandboxPictures === null ? '' : ` ${new URL(sandboxPictures).origin}`}`;
  const parts = ['<a href="#posts">Posts</a>', ...(hasJobs ? ['<a href="#jobs">Job postings</a>'] : [])];
  return clientPageRoutes({ path: jobsAndPostsPage, title: 'Jobs and posts', folder, pictures }, served, {
    parts: parts.join(''),
    options: dataElement('options', { sandbox: suggestions, hasJobs }),
  });
}
