/** The schema: the only file whose imports are there for what they do, which is to add their types to the builder. */
import './scalars.ts';
import './node.ts';
import '../accounts/graphql/index.ts';
import '../jobs/graphql/index.ts';
import '../posts/graphql/index.ts';
import '../webhooks/graphql/index.ts';
import '../events/graphql/samples.ts';
import '../deliveries/graphql/index.ts';
import { builder } from './builder.ts';
import { allowUnknownValues } from './enums.ts';
import { wrapResolverErrors } from './errors.ts';

export const schema = wrapResolverErrors(allowUnknownValues(builder.toSchema()));

// Pothos has no option for it, and it is what a reader of the documentation sees first.
schema.description = `Postern: jobs, posts and webhooks of connected accounts.

Every request needs an API key in the \`X-API-KEY\` header; only this documentation can be read without one. Start with
\`viewer\` and \`accounts\`: an \`accountId\` is what most other fields ask for. An \`id\` is always a global one, for
caches and for \`node\`; arguments take raw ids, such as \`accountId\`, \`jobId\` and \`webhookId\`.

Mutations answer the failures that a caller must expect as data: ask for \`... on ServiceError { type detail }\`. Failures
of reads, of the key and of systems are top-level errors with the same fields in their \`extensions\`.`;
