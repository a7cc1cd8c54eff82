/** The schema. Importing a capability adds its types to the builder; no other file imports for side effects. */
import '../graphql/kit/scalars.ts';
import '../graphql/kit/node.ts';
import './accounts/graphql/index.ts';
import './jobs/graphql/index.ts';
import './posts/graphql/index.ts';
import './webhooks/graphql/index.ts';
import '../events/graphql/samples.ts';
import './deliveries/graphql/index.ts';
import { specifiedDirectives } from 'graphql';
import { costDirective, listSizeDirective } from '../graphql/cost/directives.ts';
import { applyCosts } from '../graphql/cost/weights.ts';
import { builder } from '../graphql/kit/builder.ts';
import { allowUnknownValues } from '../graphql/kit/enums.ts';
import { wrapResolverErrors } from '../graphql/kit/errors.ts';
import { acceptGlobalIds } from '../graphql/kit/global-ids.ts';
import { readNetworkValues } from '../graphql/kit/network-values.ts';
import { requiresScopesDirective } from '../graphql/kit/required-scopes.ts';
import { sayNullMeansError, semanticNonNullDirective } from '../graphql/kit/semantic-nullability.ts';

const built = builder.toSchema({
  directives: [
    ...specifiedDirectives,
    costDirective,
    listSizeDirective,
    requiresScopesDirective,
    semanticNonNullDirective,
  ],
});

export const schema = sayNullMeansError(
  applyCosts(wrapResolverErrors(acceptGlobalIds(readNetworkValues(allowUnknownValues(built))))),
);

// Pothos has no option for the description, which is the first thing that a reader of the documentation sees.
schema.description = `Postern: jobs, posts and webhooks of connected accounts.

Send your API key in the \`X-API-KEY\` header with every request; only introspection works without one. Start with
\`viewer\` and \`accounts\`: most other fields need an \`accountId\`. An \`id\` is always a global id, for caches and
for \`node\`. \`accountId\`, \`jobId\`, \`draftId\`, \`webhookId\` and \`deliveryId\` are raw ids; as arguments they take the global id of
the object as well. All other ids are those of a network.

Mutations return expected failures as data: select \`... on ServiceError { code message }\`. Failures of queries, of API
keys and of systems are top-level errors with the same fields in their \`extensions\`.

A field or item with \`@semanticNonNull\` is null only with an error at its path. Without the directive, null is an answer.`;
