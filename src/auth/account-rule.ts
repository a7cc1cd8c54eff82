/** Which ids accounts can have, and what becomes of one that the workspace does not know. */
import { type Caller, mayActFor } from '../kernel/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import { checkId, fitsPath, isId } from '../kernel/ids.ts';
import { shortList } from '../kernel/issues.ts';
import type { Database } from '../store/database.ts';
import { countAccountsUpTo, learnAccounts } from './account-repository.ts';

export interface AccountRule {
  /** Whether an account that is not known here does not exist. */
  readonly knowsAll: boolean;
  isId(id: string): boolean;
  /** @throws ServiceError `invalid_resource_identifier` */
  check(id: string): void;
  /** Ids that a caller names, and that its workspace does not know. @throws ServiceError `resource_not_found` */
  admit(caller: Caller, ids: readonly string[]): Promise<void>;
}

/** Rule for accounts that are connected here. */
export const connectedHere: AccountRule = {
  knowsAll: true,
  isId,
  check: (id) => checkId(id, 'account'),
  admit: async (_caller, ids) => {
    throw new ServiceError('resource_not_found', { detail: `No connected account has the id ${shortList(ids)}.` });
  },
};

const maxIdLength = 255;

/** Whether this can be the id of an account at a service: any form that addresses, and indexes of databases, can hold. */
export const isServiceId = (id: string): boolean => id.length <= maxIdLength && fitsPath(id);

/** More are not learned because somebody names them. */
const maxNamedAccounts = 10_000;

/** Rule for accounts that a service has connected. It lists none of them: who names one tells of it. */
export function connectedThere(database: Database, now: () => Date): AccountRule {
  return {
    knowsAll: false,
    isId: isServiceId,
    check(id) {
      if (!isServiceId(id))
        throw new ServiceError('invalid_resource_identifier', { detail: 'The account id is malformed.' });
    },
    async admit(caller, ids) {
      const own = ids.filter((id) => mayActFor(caller, id));
      const known = await countAccountsUpTo(database, caller.workspaceId, maxNamedAccounts);
      if (known + own.length > maxNamedAccounts) {
        throw new ServiceError('action_required', {
          detail: `The gateway knows ${maxNamedAccounts} accounts, and learns others from their events only.`,
        });
      }
      await learnAccounts(
        database,
        caller.workspaceId,
        own.map((id) => ({ id })),
        now(),
      );
    },
  };
}
