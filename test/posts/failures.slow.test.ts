/** Failures of the post list: of the network, the identifier and the account. */
import { describe, expect, test } from 'vitest';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import { postIdentifiers } from '../../src/providers/sandbox/networks.ts';
import { backends, onOneDatabase } from '../support/backends.ts';
import { listDocument, servePosts } from './served-posts.ts';

describe.each(onOneDatabase(backends))('failures of the post list, $name backend', (backend) => {
  const posts = servePosts(backend);
  const { accountFor, list, failing } = posts;

  const rows = (['pnet', 'photonet'] as const).flatMap((network) =>
    Object.entries(postIdentifiers[network] as Record<string, { fails?: ErrorName; detail?: string }>)
      .filter(([, { fails }]) => fails !== undefined)
      .map(([identifier, { fails, detail }]) => ({ network, identifier, fails: fails as ErrorName, detail })),
  );
  test.each(rows)('$network $identifier is errors/$fails', async ({ network, identifier, fails, detail }) => {
    const { data, errors } = await posts.workspace.ask(listDocument, {
      accountId: accountFor(network),
      identifier,
      isCompany: /^9\d+$/.test(identifier) ? true : undefined,
    });
    expect(data).toEqual({ posts: null });
    const { status } = errorTable[fails];
    expect(errors).toMatchObject([
      { path: ['posts'], message: detail, extensions: { code: fails.toUpperCase(), status } },
    ]);
  });

  test.each([
    ['pnet', 'nobody'],
    ['pnet', 'ACoNobody'],
    ['pnet', '900043'],
    ['pnet', '424242'],
    ['photonet', 'nobody'],
    ['photonet', 'no spaces'],
    ['photonet', 'constructor'],
  ] as const)('%s %s is no recipient', async (network, identifier) => {
    expect(await failing({ accountId: accountFor(network), identifier })).toMatchObject({
      path: ['posts'],
      extensions: { code: 'INVALID_RECIPIENT', status: 422 },
    });
  });

  test('an identifier that is too long is unprocessable, an empty one that of nobody', async () => {
    expect(await failing({ identifier: 'x'.repeat(256) })).toMatchObject({
      extensions: { code: 'UNPROCESSABLE_ENTITY', issues: [{ path: ['identifier'] }] },
    });
    expect(await failing({ identifier: '' })).toMatchObject({ extensions: { code: 'INVALID_RECIPIENT' } });
  });

  test('a page beyond those that the network can read is an error, the pages before it are not', async () => {
    const { edges, pageInfo } = await list({ identifier: 'ACoSandboxBreaks' });
    expect(edges).toHaveLength(100);
    expect(await failing({ identifier: 'ACoSandboxBreaks', after: pageInfo.endCursor })).toMatchObject({
      extensions: { code: 'PROVIDER_ERROR', status: 500 },
    });
  });

  test('accounts that cannot list posts', async () => {
    const foreign = await (await posts.served.workspace()).account();
    const identifier = 'ACoSandbox1';
    for (const accountId of [foreign, 'malformed', '', '\0', 'A'.repeat(22)]) {
      expect(await failing({ accountId, identifier })).toMatchObject({
        extensions: { code: 'WRONG_ACCOUNT' },
      });
    }
    const mail = await posts.workspace.account({ type: 'MAIL' });
    expect(await failing({ accountId: mail, identifier })).toMatchObject({
      extensions: { code: 'INVALID_ACCOUNT', status: 422 },
    });
  });
});
