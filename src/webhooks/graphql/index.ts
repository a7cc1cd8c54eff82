/** The GraphQL side of the webhook registry. */
import './webhook.ts';
import './health.ts';
import './mutations.ts';
