/**
 * A supergraph: a running gateway in front of a running Postern and of a second subgraph, which gives fields of its own to
 * accounts, job postings and the posts of all networks.
 */
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { composeServices as composeWithApollo } from '@apollo/composition';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { composeSubgraphs } from '@graphql-mesh/fusion-composition';
import { composeServices as composeWithGuild } from '@theguild/federation-composition';
import { buildSchema, type ExecutionArgs, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { startProcess, temporaryDirectory } from '../support/process.ts';
import { freePort } from '../support/reverse-proxy.ts';

export interface Running extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/graphql` */
  readonly url: string;
}

/** What the second subgraph refers to. */
export interface Task {
  readonly jobId: string;
  readonly accountId: string;
}

export interface TasksSubgraph extends Running {
  /** How many objects each of its `_entities` fields was asked for. */
  readonly batches: number[];
  tasks: readonly Task[];
  /** Global ids of posts. */
  bookmarks: readonly string[];
}

export const tasksSdl = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@interfaceObject"])

  type Query {
    tasks: [Task!]!
    bookmarks: [NetworkPost!]!
  }

  type Task {
    title: String!
    posting: PnetJobPosting
    account: Account
  }

  type Account @key(fields: "accountId") {
    accountId: ID!
    owner: String!
  }

  type PnetJobPosting @key(fields: "jobId") {
    jobId: ID!
    applicants: Int!
  }

  type NetworkPost @key(fields: "id") @interfaceObject {
    id: ID!
    bookmarked: Boolean!
  }

  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
`;

/** Starts the subgraph. Its fields follow from the ids, so that a test knows them. */
export async function startTasks(): Promise<TasksSubgraph> {
  const state: Omit<TasksSubgraph, keyof Running> = { tasks: [], bookmarks: [], batches: [] };
  const schema = buildSubgraphSchema([
    {
      typeDefs: parse(tasksSdl),
      resolvers: {
        Query: { tasks: () => state.tasks, bookmarks: () => state.bookmarks.map((id) => ({ id })) },
        Task: {
          title: ({ jobId }: Task) => `Task of ${jobId}`,
          posting: ({ jobId }: Task) => ({ jobId }),
          account: ({ accountId }: Task) => ({ accountId }),
        },
        Account: { owner: ({ accountId }: { accountId: string }) => `owner of ${accountId}` },
        PnetJobPosting: { applicants: ({ jobId }: { jobId: string }) => jobId.length },
        NetworkPost: { bookmarked: ({ id }: { id: string }) => state.bookmarks.includes(id) },
      },
    },
  ]);
  const yoga = createYoga({
    schema,
    logging: false,
    plugins: [
      {
        onExecute({ args }: { args: ExecutionArgs }) {
          const representations: unknown = args.variableValues?.representations;
          if (Array.isArray(representations)) state.batches.push(representations.length);
        },
      },
    ],
  });
  return Object.assign(state, await listen(yoga));
}

async function listen(listener: RequestListener): Promise<Running> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}

/** The supergraph that a composer makes. */
export type Compose = (subgraphs: readonly ComposedSubgraph[]) => string;

const typeDefs = (subgraphs: readonly ComposedSubgraph[]) =>
  subgraphs.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) }));

export const composers: Readonly<Record<string, Compose>> = {
  '@apollo/composition'(subgraphs) {
    const { supergraphSdl, errors } = composeWithApollo(typeDefs(subgraphs));
    return composed(supergraphSdl, errors);
  },
  '@theguild/federation-composition'(subgraphs) {
    const { supergraphSdl, errors } = composeWithGuild(typeDefs(subgraphs));
    return composed(supergraphSdl, errors);
  },
};

/** Mesh reads a subgraph as a schema, which it prints anew. */
export const composeWithMesh: Compose = (subgraphs) => {
  const schemas = subgraphs.map(({ name, url, sdl }) => ({
    name,
    url,
    schema: buildSchema(sdl, { assumeValidSDL: true }),
  }));
  const result = composeSubgraphs(schemas);
  return composed(
    'supergraphSdl' in result ? result.supergraphSdl : undefined,
    'errors' in result ? result.errors : undefined,
  );
};

function composed(supergraph: string | undefined, errors: readonly Error[] = []): string {
  if (supergraph === undefined) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'));
  return supergraph;
}

/** The schema of a running subgraph, as `rover subgraph introspect` reads it. */
export async function sdlOf(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'query { _service { sdl } }' }),
  });
  const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
  return data._service.sdl;
}

/** The gateways of `examples/federation`, each of which is started in front of a supergraph of a test and of Postern at an address. */
export const supergraphGateways: Readonly<Record<string, (supergraph: string, address: string) => Promise<Running>>> = {
  'Hive Gateway': (supergraph, address) => startGatewayOf('hive-gateway.ts', supergraph, address),
  'Apollo Gateway': (supergraph, address) => startGatewayOf('apollo-gateway.ts', supergraph, address),
};

async function startGatewayOf(file: string, supergraph: string, address: string): Promise<Running> {
  const directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'supergraph.graphql'), supergraph);
  const port = await freePort();
  const environment = { PATH: process.env.PATH ?? '', POSTERN_URL: address, PORT: String(port) };
  const { child, line, ended } = startProcess(`examples/federation/${file}`, [], environment, directory.path);
  await line(/^http:/m);
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}
