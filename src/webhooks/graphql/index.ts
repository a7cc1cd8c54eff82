/** The GraphQL side of webhooks: what is read, and what is changed. */
import './queries.ts';
import './mutations.ts';
import './deliveries.ts';
import './delivery-mutations.ts';
