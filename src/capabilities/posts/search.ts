import type { Post } from './shapes.ts';

export interface SearchedPage {
  readonly posts: readonly Post[];
  readonly next: string | undefined;
}

/** Searches of one operation for posts and authors by id, which share pages. */
export class PostSearch {
  readonly authors = new Set<string>();
  readonly pages = new Map<string, Promise<SearchedPage>>();
}
