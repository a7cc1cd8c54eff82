/** `@key`s: the fields by which other subgraphs name our objects. */
import { type GraphQLNamedType, isInterfaceType, isObjectType } from 'graphql';
import { Node } from '../kit/node.ts';

/** Raw ids as keys, so that other subgraphs can use the contract's. Implementing types have their interface's keys. */
const rawKeys: Readonly<Record<string, string>> = {
  Account: 'accountId',
  PnetJobPosting: 'jobId',
  Webhook: 'webhookId',
  Delivery: 'deliveryId',
};

/**
 * Keys of a type; none if it is no entity. Every object with a global id is one, and so are its interfaces but `Node`:
 * other subgraphs have nodes too, and all implementations of an interface with a key must be in one subgraph.
 */
export function entityKeysOf(type: GraphQLNamedType | undefined): readonly string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const interfaces = type.getInterfaces().map(({ name }) => name);
  if (!interfaces.includes(Node.name)) return [];
  return ['id', ...[type.name, ...interfaces].flatMap((name) => rawKeys[name] ?? [])];
}
