import { Client, fetchExchange, type OperationResult } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { toe } from 'graphql-toe';
import schema from './gql/schema.json' with { type: 'json' };
import { address, required } from './settings.ts';

// What has no id is a part of the object that it was read with.
const parts = schema.__schema.types.filter(({ fields }) => fields?.every(({ name }) => name !== 'id'));
const keys = Object.fromEntries(parts.map(({ name }) => [name, () => null]));
// Every list is put together of its pages, whichever object it belongs to.
const page = relayPagination();
const objects = schema.__schema.types.filter(({ kind }) => kind === 'OBJECT');
const lists = objects.map(({ name, fields }) => {
  const ofPages = fields?.filter(({ type }) => type.name?.endsWith('Connection')) ?? [];
  return [name, Object.fromEntries(ofPages.map((field) => [field.name, page]))];
});
const resolvers = Object.fromEntries(lists);

export const client = new Client({
  url: `${address}/graphql`,
  fetchOptions: { headers: { authorization: `Bearer ${required('POSTERN_KEY')}` } },
  fetchSubscriptions: true,
  preferGetMethod: false,
  exchanges: [cacheExchange({ schema, keys, resolvers }), fetchExchange],
});

/** The data of a result. A field that failed throws its error when it is read. */
export function dataOf<Data extends object>({ data, error }: Pick<OperationResult<Data>, 'data' | 'error'>) {
  if (!data && error) throw error;
  return toe<Data>({ data, errors: error?.graphQLErrors.filter(({ path }) => path) });
}
