/** The ports of embedded mode, as far as compiling looks at them. */
import { largeParts } from '../../src/capabilities/webhooks/shapes.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { printedPages } from '../../src/kernel/printed-pages.ts';

const read = { lists: async () => [] };

/** Nothing can be read from them. */
export const embeddedPages = {
  serviceJudges: false,
  posts: { pages: printedPages({ ...read, metadata: { paging: { object: { page_count: 'leaf' } } } }) },
  webhooks: {
    pages: printedPages({ ...read, lacks: largeParts }),
    found: printedPages({ ...read, lacks: largeParts }),
  },
  jobs: { pages: printedPages(read), found: printedPages({ ...read, lacks: ['content'] }) },
  deliveries: { pages: printedPages(read), found: printedPages(read) },
} as unknown as Ports;
