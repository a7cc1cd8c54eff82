/** The GraphQL side of jobs: what is read, and what is changed. */
import './queries.ts';
import './mutations.ts';
import './subscription.ts';
