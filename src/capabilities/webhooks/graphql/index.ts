/** The GraphQL side of the webhook registry. */
import './list.ts';
import './webhook.ts';
import './health.ts';
import './mutations.ts';
