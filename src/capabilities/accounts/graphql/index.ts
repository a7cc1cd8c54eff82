/** The GraphQL types and queries of accounts, and of the API key that a request is made with. */
import './account.ts';
import './list.ts';
import './subscription.ts';
import './viewer.ts';
