/** Failures of the post list: of the network, the identifier and the account. */
import { describe, expect, test } from 'vitest';
import { type ErrorName, errorTable } from '../../src/kernel/errors.ts';
import { postIdentifiers } from '../../src/providers/sandbox/networks.ts';
import { backends } from '../support/backends.ts';
import { listDocument, servePosts } from './served-posts.ts';

describe.each(backends)('failures of the post list, $name backend', (backend) => {
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
    const { status, title } = errorTable[fails];
    expect(errors).toMatchObject([
      { path: ['posts'], message: detail, extensions: { type: `errors/${fails}`, status, title, detail } },
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
      extensions: { type: 'errors/invalid_recipient', status: 422 },
    });
  });

  test('an identifier that is too long is unprocessable, an empty one that of nobody', async () => {
    expect(await failing({ identifier: 'x'.repeat(256) })).toMatchObject({
      extensions: { type: 'errors/unprocessable_entity', issues: [{ path: ['identifier'] }] },
    });
    expect(await failing({ identifier: '' })).toMatchObject({ extensions: { type: 'errors/invalid_recipient' } });
  });

  test('a page beyond those that the network can read is an error, the pages before it are not', async () => {
    const { edges, pageInfo } = await list({ identifier: 'ACoSandboxBreaks' });
    expect(edges).toHaveLength(100);
    expect(await failing({ identifier: 'ACoSandboxBreaks', after: pageInfo.endCursor })).toMatchObject({
      extensions: { type: 'errors/provider_error', status: 500 },
    });
  });

  test('accounts that cannot list posts', async () => {
    const foreign = await (await posts.served.workspace()).account();
    const identifier = 'ACoSandbox1';
    for (const accountId of [foreign, 'malformed', '', '\0', 'A'.repeat(22)]) {
      expect(await failing({ accountId, identifier })).toMatchObject({
        extensions: { type: 'errors/wrong_account' },
      });
    }
    const mail = await posts.workspace.account({ type: 'MAIL' });
    expect(await failing({ accountId: mail, identifier })).toMatchObject({
      extensions: { type: 'errors/invalid_account', status: 422 },
    });
  });
});
