import { missingKey } from '../../kernel/caller.ts';
import type { Stage } from '../exchange.ts';

/** Only introspection is possible without an API key. @throws ServiceError `missing_credentials` */
export const authorize =
  (): Stage =>
  ({ caller, operation }) => {
    if (caller === null && !operation.isIntrospection) throw missingKey();
    return null;
  };
