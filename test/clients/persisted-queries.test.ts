/** Automatic persisted queries with the links of Apollo Client and urql. */
import { createHash } from 'node:crypto';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway, type TestWorkspace } from '../support/gateway.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let gateway: Gateway;
let workspace: TestWorkspace;
beforeAll(async () => {
  gateway = await startGateway();
  workspace = await gateway.workspace();
});
afterAll(() => gateway.close());

test.each([false, true])("Apollo Client's PersistedQueryLink, by GET: %j", async (useGETForHashedQueries) => {
  const bodies: string[] = [];
  const watched: typeof fetch = (url, options) => {
    bodies.push(`${url} ${options?.body ?? ''}`);
    return fetch(url, options);
  };
  const http = { uri: `${gateway.address}/graphql`, headers: { 'x-api-key': workspace.key }, fetch: watched };
  const link = new PersistedQueryLink({ sha256, useGETForHashedQueries }).concat(new HttpLink(http));
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const query = gql(`query Apollo${useGETForHashedQueries} { viewer { __typename } }`);
  for (let times = 0; times < 2; times += 1) {
    const { data } = await client.query({ query, fetchPolicy: 'no-cache' });
    expect(data).toEqual({ viewer: { __typename: 'Viewer' } });
  }
  expect(bodies.map((body) => /[?"]query["=]/.test(body) || body.includes('&query='))).toEqual([false, true, false]);
});

test.each([false, true])("urql's persisted exchange, by GET: %j", async (preferGetForPersistedQueries) => {
  let requests = 0;
  const client = new Client({
    url: `${gateway.address}/graphql`,
    fetchOptions: { headers: { 'x-api-key': workspace.key } },
    fetch: (url, options) => {
      requests += 1;
      return fetch(url, options);
    },
    preferGetMethod: false,
    exchanges: [persistedExchange({ preferGetForPersistedQueries }), fetchExchange],
  });
  const query = `query Urql${preferGetForPersistedQueries} { viewer { __typename } }`;
  for (const expected of [2, 3]) {
    const { data, error } = await client.query(query, {}).toPromise();
    expect(error).toBeUndefined();
    expect(data).toEqual({ viewer: { __typename: 'Viewer' } });
    expect(requests).toBe(expected);
  }
});
