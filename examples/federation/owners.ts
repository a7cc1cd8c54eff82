/** A subgraph that knows who owns each account. Of the gateway's fields it needs a key of `Account`, and no other. */
import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

  type Account @key(fields: "accountId") {
    accountId: ID!
    owner: String
  }
`);
const owners = new Map([['pnet-----------------A', 'Amara']]);
const resolvers = { Account: { owner: ({ accountId }: { accountId: string }) => owners.get(accountId) } };

const port = Number(process.env.OWNERS_PORT || 4001);
export const url = `http://127.0.0.1:${port}/graphql`;
createServer(createYoga({ schema: buildSubgraphSchema([{ typeDefs, resolvers }]) })).listen(port, '127.0.0.1');
