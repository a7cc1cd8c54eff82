/** By which fields other subgraphs name our objects: the `@key`s of each type. */
import { type GraphQLNamedType, isInterfaceType, isObjectType } from 'graphql';
import { Node } from '../kit/node.ts';

/**
 * The raw id of each type whose objects have one that arguments take: other subgraphs know accounts, jobs and webhooks by
 * the ids of the contract, and need not learn our global ones. Types that implement an interface have its keys.
 */
const rawKeys: Readonly<Record<string, string>> = {
  Account: 'accountId',
  PnetJobPosting: 'jobId',
  Webhook: 'webhookId',
  Delivery: 'deliveryId',
};

/**
 * The fields that each are a key of a type; none for a type that is no entity. Every object that can be read again by its
 * global id is an entity. So are the interfaces among them, but for `Node`: other subgraphs have nodes of their own, and
 * the implementations of an interface with a key must all be in one subgraph.
 */
export function entityKeysOf(type: GraphQLNamedType | undefined): readonly string[] {
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  const interfaces = type.getInterfaces().map(({ name }) => name);
  if (!interfaces.includes(Node.name)) return [];
  return ['id', ...[type.name, ...interfaces].flatMap((name) => rawKeys[name] ?? [])];
}
