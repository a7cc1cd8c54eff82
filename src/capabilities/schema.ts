/** Builds the schema. Importing a file of a capability adds its types to the builder; no other file imports for side effects. */
import '../graphql/kit/scalars.ts';
import '../graphql/kit/node.ts';
import './accounts/graphql/account.ts';
import './accounts/graphql/list.ts';
import './accounts/graphql/token.ts';
import './accounts/graphql/viewer.ts';
import './jobs/graphql/queries.ts';
import './jobs/graphql/mutations.ts';
import './posts/graphql/pnet.ts';
import './posts/graphql/photonet.ts';
import './posts/graphql/list.ts';
import './posts/graphql/nodes.ts';
import './webhooks/graphql/list.ts';
import './webhooks/graphql/webhook.ts';
import './webhooks/graphql/mutations.ts';
import '../events/graphql/samples.ts';
import './deliveries/graphql/delivery.ts';
import './deliveries/graphql/list.ts';
import './deliveries/graphql/statistics.ts';
import './deliveries/graphql/mutations.ts';
import './deliveries/graphql/events.ts';
import {
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  GraphQLSchema,
  getNamedType,
  isInterfaceType,
  specifiedDirectives,
} from 'graphql';
import { costDirective, listSizeDirective } from '../graphql/cost/directives.ts';
import { applyCosts } from '../graphql/cost/weights.ts';
import { builder } from '../graphql/kit/builder.ts';
import { allowUnknownValues } from '../graphql/kit/enums.ts';
import { wrapResolverErrors } from '../graphql/kit/errors.ts';
import { acceptGlobalIds } from '../graphql/kit/global-ids.ts';
import { readNetworkValues } from '../graphql/kit/network-values.ts';
import { Node } from '../graphql/kit/node.ts';
import { requiresScopesDirective } from '../graphql/kit/required-scopes.ts';
import { fieldsOf } from '../graphql/kit/schema-fields.ts';
import { sayNullMeansError, semanticNonNullDirective } from '../graphql/kit/semantic-nullability.ts';
import { once } from '../kernel/lib/once.ts';
import { type SetUp, servesAll } from '../kernel/set-up.ts';

/** What a reader of the documentation sees first. */
const description = `Postern: jobs, posts and webhooks of connected accounts.

Send your API key in the \`X-API-KEY\` header with every request; only introspection works without one. An \`id\` is a
global id, for caches and for \`node\`. An id named after its object, such as \`accountId\`, is a raw id; as an argument
it takes the global id as well. All other ids are those of a network.

Mutations return expected failures as data: select \`... on ServiceError { code message }\`. All other failures are
top-level errors, with the same fields in their \`extensions\`.

A field or item with \`@semanticNonNull\` is null only with an error at its path. Without the directive, null is an answer.
Numbers are \`Int\` where the API bounds them, and \`Float\` otherwise.`;

/** The schema of a set-up, without what it does not serve. */
export function buildSchema(setUp: SetUp): GraphQLSchema {
  const whole = builder.toSchema({
    setUp,
    directives: [
      ...specifiedDirectives,
      costDirective,
      listSizeDirective,
      requiresScopesDirective,
      semanticNonNullDirective,
    ],
  });
  const built = servesAll(setUp) ? whole : withoutUnreached(whole);
  const schema = sayNullMeansError(
    applyCosts(wrapResolverErrors(acceptGlobalIds(readNetworkValues(allowUnknownValues(built))))),
  );
  // Pothos has no option for it.
  schema.description = description;
  return schema;
}

/** Leaves out types that no operation leads to. `Node` leads to none: what it finds is found by another field as well. */
function withoutUnreached(schema: GraphQLSchema): GraphQLSchema {
  const { subscription, ...config } = schema.toConfig();
  const withFields = Object.keys(subscription?.getFields() ?? {}).length > 0 ? subscription : null;
  let reached = new Set<GraphQLNamedType>();
  for (;;) {
    const pruned = new GraphQLSchema({ ...config, subscription: withFields, types: [...reached] });
    const returned = [...fieldsOf(pruned, { interfaces: true })].map(({ field }) => getNamedType(field.type));
    const implementing = returned
      .filter((type) => isInterfaceType(type) && type.name !== Node.name)
      .flatMap((type) => schema.getPossibleTypes(type as GraphQLInterfaceType));
    if (implementing.every((type) => reached.has(type))) return pruned;
    reached = new Set(implementing);
  }
}

/** The schema that a gateway serves: that of its set-up, or the same as a subgraph. */
export interface ServedSchema {
  readonly schema: GraphQLSchema;
  /** The schema as text, for clients: a subgraph's, too, is without what only composers and gateways of supergraphs read. */
  readonly print: () => Promise<string>;
}

interface SchemaOptions {
  readonly setUp: SetUp;
  readonly federation: boolean;
  readonly introspection: boolean;
}

/** The schema as the configuration asks for it. What only a subgraph needs is loaded for one only. */
export async function servedSchema({ setUp, federation, introspection }: SchemaOptions): Promise<ServedSchema> {
  // One of its own: a plugin may change it.
  const schema = buildSchema(setUp);
  const print = async () => {
    const { printedSchema } = await import('../graphql/schema/print.ts');
    return printedSchema(schema);
  };
  if (!federation) return { schema, print };
  const { toSubgraph } = await import('../graphql/federation/subgraph.ts');
  const printSubgraph = once(async () => {
    const { subgraphSdl } = await import('../graphql/federation/sdl.ts');
    return subgraphSdl(schema);
  });
  return { schema: toSubgraph(schema, introspection ? printSubgraph : null), print };
}
