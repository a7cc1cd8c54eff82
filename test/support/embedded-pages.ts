/** The ports of embedded mode, as far as compiling looks at them. */
import { largeParts } from '../../src/capabilities/webhooks/shapes.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { printedPages } from '../../src/kernel/printed-pages.ts';

const none = { name: 'nothing', lists: async () => [] };
const { pages } = printedPages(none);

/** Nothing can be read from them. */
export const embeddedPages = {
  serviceJudges: () => false,
  posts: { pages },
  webhooks: {
    pages: printedPages({ ...none, lacks: largeParts }).pages,
    found: printedPages({ ...none, lacks: largeParts }).pages,
  },
  accounts: { pages, found: pages },
  jobs: { pages, found: printedPages({ ...none, lacks: ['content'] }).pages },
  deliveries: { pages, found: pages },
} as unknown as Ports;
