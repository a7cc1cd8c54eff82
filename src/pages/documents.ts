/** The documents that the pages send: those of their modules of queries. */
import { type SetUp, serves } from '../kernel/set-up.ts';

/** Modules of browsers, which have no types. */
const modulesOf = (setUp: SetUp, webhooksPage: boolean): readonly string[] => [
  ...(serves(setUp, 'keys') ? ['../http/browser/bar-queries.js'] : []),
  ...(serves(setUp, 'ownWebhooks') ? ['../http/browser/bar-accounts.js'] : []),
  ...(webhooksPage ? ['webhooks/browser/queries.js', 'jobs-and-posts/browser/page-queries.js'] : []),
  ...(webhooksPage && serves(setUp, 'postings') ? ['jobs-and-posts/browser/job-queries.js'] : []),
];

/** @param webhooksPage whether the pages of webhooks, and of jobs and posts, are served */
export async function documentsOfPages(setUp: SetUp, webhooksPage: boolean): Promise<readonly string[]> {
  const modules = modulesOf(setUp, webhooksPage).map(
    async (name): Promise<Readonly<Record<string, string>>> => import(new URL(name, import.meta.url).href),
  );
  return (await Promise.all(modules)).flatMap((queries) => Object.values(queries));
}
