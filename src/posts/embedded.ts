import type { AccountType } from '../auth/account.ts';
import { requireSession } from '../auth/session.ts';
import { ServiceError } from '../errors.ts';
import type { CursorCodec } from '../paging.ts';
import type { Networks, PostNetwork } from '../providers/provider.ts';
import type { Database } from '../store/database.ts';
import type { PostsPort } from './port.ts';
import { postLimits } from './shapes.ts';

/** The networks whose posts can be listed, by the type of the account that lists them. */
const networkOf = { PNET: 'pnet', PHOTONET: 'photonet' } as const satisfies Partial<
  Record<AccountType, keyof Networks>
>;
type PostAccountType = keyof typeof networkOf;

/** Posts, read from the account's network. */
export function embeddedPosts({
  database,
  networks,
  cursors,
}: {
  readonly database: Database;
  readonly networks: Networks;
  readonly cursors: CursorCodec;
}): PostsPort {
  return {
    async list({ caller, signal }, { account_id, identifier, is_company: isCompany = false, cursor, limit }) {
      const session = await requireSession(database, caller, account_id, {
        types: Object.keys(networkOf) as PostAccountType[],
        notFoundAs: 'wrong_account',
      });
      // Sealing the network's cursor binds it to its list and hides what it says about the network.
      const scope = ['posts', caller.workspaceId, account_id, identifier, isCompany];
      const network: PostNetwork = networks[networkOf[session.type]];
      const page = await network.listPosts(
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
