import { type Admission, apiKeyOf } from '../../auth/admission.ts';
import type { Stage } from '../exchange.ts';

export type AdmitOptions = Admission;

/**
 * Identifies the caller, and counts the request: by its key, or else by its address.
 * @throws ServiceError as {@link Admission}
 */
export const admit =
  ({ admit: admitCaller, admitKeyless }: AdmitOptions): Stage =>
  async (exchange) => {
    // GraphiQL sends an empty key until one is entered.
    if (apiKeyOf(exchange.http)) exchange.caller = await admitCaller(exchange.http);
    else await admitKeyless(exchange.http);
    return null;
  };
