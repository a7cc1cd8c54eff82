import { Client, fetchExchange, type OperationResult } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { toe } from 'graphql-toe';
import { urqlCache } from 'postern/client';
import schema from './gql/schema.json' with { type: 'json' };
import { address, required } from './settings.ts';

export const client = new Client({
  url: `${address}/graphql`,
  fetchOptions: { headers: { authorization: `Bearer ${required('POSTERN_KEY')}` } },
  fetchSubscriptions: true,
  preferGetMethod: false,
  exchanges: [cacheExchange({ schema, ...urqlCache }), fetchExchange],
});

/** The data of a result. A field that failed throws its error when it is read. */
export function dataOf<Data extends object>({ data, error }: Pick<OperationResult<Data>, 'data' | 'error'>) {
  if (!data && error) throw error;
  return toe<Data>({ data, errors: error?.graphQLErrors.filter(({ path }) => path) });
}
