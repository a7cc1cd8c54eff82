/** Queries whose responses are cached, and what a gateway says of its cache. */
import { getOperationAST, isInterfaceType, isObjectType, parse } from 'graphql';
import { expect, vi } from 'vitest';
import { maxAgeOf } from '../../src/graphql/kit/cache-hint.ts';
import type { Named } from './operations.ts';
import { schema } from './schema.ts';
import { wholeSelection } from './selection.ts';

/** A response as it came, and what the gateway says of its cache. */
export interface Came {
  readonly status: number;
  readonly body: string;
  /** `hit`, `fwd=miss; stored` …; null if nothing is said. */
  readonly cache: string | null;
}

export async function ask(
  address: string,
  key: string,
  query: string,
  { variables = {}, headers = {} }: { variables?: object; headers?: Readonly<Record<string, string>> } = {},
): Promise<Came> {
  const response = await fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key, 'x-request-id': 'the-same-for-all', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const cache = response.headers.get('cache-status')?.replace('Postern; ', '') ?? null;
  return { status: response.status, body: await response.text(), cache };
}

/** Waits until the gateway caches something. On Postgres and Redis it first has to be connected. */
export const untilCached = (address: string, key: string): Promise<void> =>
  vi.waitFor(async () => expect((await ask(address, key, '{ accounts { totalCount } }')).cache).toBe('hit'), {
    timeout: 60_000,
    interval: 20,
  });

export const secondsOf = (query: string): number => {
  const document = parse(query);
  const operation = getOperationAST(document);
  return operation ? maxAgeOf(schema, document, operation) : 0;
};

/** The fields that nothing is cached with, as `Type.field`. */
const uncached = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).flatMap((field) => {
        const within = { webhooks: 'Webhook', deliveries: 'Delivery', checkpoint: 'Checkpoint' };
        return field.name in within ? [`${type.name}.${field.name}`] : [];
      })
    : [],
);

/** Each root field whose response is cached, with everything that may be selected of it. */
export const cachedReads: readonly { readonly field: string; readonly document: (named: Named) => string }[] = [
  {
    field: 'account',
    document: ({ accountId }) => `{ account(accountId: "${accountId}") ${wholeSelection('Account', uncached)} }`,
  },
  {
    field: 'accounts',
    document: () =>
      `{ accounts(first: 2) ${wholeSelection('AccountConnection', [...uncached, 'Account.jobPostings'])} }`,
  },
  {
    field: 'jobPosting',
    document: ({ draftId }) => `{ jobPosting(jobId: "${draftId}") ${wholeSelection('PnetJobPosting', uncached)} }`,
  },
  {
    field: 'jobPostings',
    document: () => `{ jobPostings(first: 5) ${wholeSelection('PnetJobPostingConnection', uncached)} }`,
  },
  {
    field: 'posts',
    document: ({ accountId }) =>
      `{ posts(accountId: "${accountId}", identifier: "ACoSandboxGallery", first: 20) ${wholeSelection('PostConnection', uncached)} }`,
  },
];
