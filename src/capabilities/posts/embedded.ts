import { accountTypes } from '../../auth/account.ts';
import { requireSession } from '../../auth/session.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { fitsPath } from '../../kernel/ids.ts';
import { type CursorCodec, foreignCursor } from '../../kernel/paging.ts';
import { printedPages } from '../../kernel/printed-pages.ts';
import type { Vault } from '../../kernel/secrets/vault.ts';
import type { Providers } from '../../providers/provider.ts';
import type { Database } from '../../store/database.ts';
import { onlyOf } from '../../store/reads.ts';
import type { PostsPort } from './port.ts';
import { type PostList, type PostListRequest, postLimits } from './shapes.ts';

export function embeddedPosts({
  database,
  vault,
  providers,
  cursors,
}: {
  readonly database: Database;
  readonly vault: Vault;
  readonly providers: Providers;
  readonly cursors: CursorCodec;
}): PostsPort {
  const types = accountTypes.filter((type) => providers[type] !== undefined);
  const readList: PostsPort['list'] = async (
    { caller, signal, turn },
    { account_id, identifier, is_company: isCompany = false, cursor, limit },
  ) => {
    const session = await requireSession(database, vault, caller, account_id, {
      types,
      notFoundAs: 'wrong_account',
    });
    // No network is asked: an adapter may put the identifier into a path.
    if (!fitsPath(identifier)) {
      throw new ServiceError('invalid_recipient', { detail: 'The identifier fits no user or company.' });
    }
    // Sealing binds the network's cursor to its list, and hides what it says about the network.
    const scope = ['posts', caller.workspaceId, account_id, identifier, isCompany];
    const provider = providers[session.type];
    if (provider === undefined) throw new TypeError(`No provider lists posts for accounts of type ${session.type}`);
    // Before a network in this process makes its posts: those of all requests that wait for a turn would be alive at once, and
    // outlive V8's young generation.
    await turn?.();
    const page = await provider.listPosts(
      session,
      {
        identifier,
        isCompany,
        cursor: cursor === undefined ? null : openNetworkCursor(cursors, scope, cursor),
        limit: limit ?? postLimits.limit.default,
      },
      signal,
    );
    return {
      object: 'PostList',
      items: page.items,
      cursor: page.cursor === null ? null : cursors.seal(scope, page.cursor),
      paging: { page_count: page.items.length },
    };
  };
  const { lists, pages } = printedPages<PostListRequest, PostList>({
    name: 'posts',
    metadata: { object: 'leaf' },
    joins: true,
    lists: (context, requests) =>
      Promise.all(requests.map((request) => readList(context, request).catch((error: Error) => error))),
  });
  return { list: async (context, request) => onlyOf(await lists(context, [request])), pages };
}

function openNetworkCursor(cursors: CursorCodec, scope: readonly (string | boolean)[], cursor: string): string {
  const opened = cursors.open(scope, cursor);
  if (typeof opened === 'string') return opened;
  throw foreignCursor('unprocessable_entity');
}
