import { accountTypes } from '../auth/account.ts';
import { actingSession } from '../auth/session.ts';
import { ServiceError } from '../errors.ts';
import type { CursorCodec } from '../paging.ts';
import type { Providers } from '../providers/provider.ts';
import type { Database } from '../store/database.ts';
import type { PostsPort } from './port.ts';
import { postLimits } from './shapes.ts';

/** Posts as the account's network lists them. */
export function embeddedPosts({
  database,
  providers,
  cursors,
}: {
  readonly database: Database;
  readonly providers: Providers;
  readonly cursors: CursorCodec;
}): PostsPort {
  const types = accountTypes.filter((type) => providers[type] !== undefined);
  return {
    async list({ caller, signal }, { account_id, identifier, is_company: isCompany = false, cursor, limit }) {
      const session = await actingSession(database, caller, account_id, {
        types,
        unseen: 'wrong_account',
      });
      // The network's own cursor is sealed: it is bound to the list it came from, and says nothing about the network.
      const scope = ['posts', caller.workspaceId, account_id, identifier, isCompany];
      const provider = providers[session.type];
      if (provider === undefined) throw new TypeError(`No provider lists posts for accounts of type ${session.type}`);
      const page = await provider.listPosts(
        session,
        {
          identifier,
          isCompany,
          cursor: cursor === undefined ? null : openCursor(cursors, scope, cursor),
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
    },
  };
}

function openCursor(cursors: CursorCodec, scope: readonly (string | boolean)[], cursor: string): string {
  const opened = cursors.open(scope, cursor);
  if (typeof opened === 'string') return opened;
  throw new ServiceError('unprocessable_entity', {
    detail: 'cursor was not returned by this list',
    issues: [{ path: ['cursor'], message: 'was not returned by this list' }],
  });
}
