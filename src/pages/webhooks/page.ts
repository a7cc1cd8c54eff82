/** The page for owners of webhooks. */
import type { Route } from '../../http/router.ts';
import { type ServedPages, webhooksPage } from '../bar.ts';
import { clientPageRoutes } from '../client-page.ts';

const folder = new URL('./browser/', import.meta.url);

export const webhooksPageRoutes = (served: ServedPages): Route[] =>
  clientPageRoutes({ path: webhooksPage, title: 'Webhooks', folder }, served);
