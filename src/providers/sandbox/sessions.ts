/** What can be wrong with an account at its network, chosen by the token of its session. */
import { type ErrorName, ServiceError } from '../../errors.ts';
import type { ProviderSession } from '../provider.ts';
import { requireWanted } from './delay.ts';

/**
 * What comes of every call made over a session, by the name in its token `sandbox:<name>`: `ok`, or the error of the
 * contract that the call fails with. Here is what only the network can know; errors of the API key, and of an account's
 * type and status, arise before the network is asked. The texts are the `detail` that callers see.
 */
export const sandboxSessions = {
  ok: 'The session is sound: calls succeed unless what they ask for says otherwise.',

  multiple_sessions: 'The account is signed in elsewhere. Connect a recruiter account with the cookie method.',
  wrong_account: 'The network says that the session is of another account: reconnect the right one.',
  invalid_credentials: 'The network refuses the credentials of the account: reconnect it.',
  invalid_proxy_credentials: 'The proxy of the account refuses its credentials: mend them and reconnect.',
  invalid_checkpoint_solution: 'The network refused the last answer to its sign-in check: reconnect the account.',
  checkpoint_error: 'The network demands a sign-in check that cannot be solved here: sign in there yourself first.',
  expired_link: 'The sign-in link of the account has expired: generate a new one.',
  disconnected_feature: 'This feature of the account is disconnected: reconnect the account with it.',
  invalid_credentials_but_valid_account_imap:
    'The IMAP or SMTP credentials are invalid, the account is valid otherwise: mend them.',

  insufficient_permissions: 'The account lacks the permission for this at the network: have it granted.',
  unknown_authentication_context:
    'The network does not know the context that the account signed in from: reconnect it.',
  session_mismatch: 'The session does not belong to the user that the network expects: reconnect the account.',
  feature_not_subscribed: 'The subscription of the account does not include this feature.',
  subscription_required: 'The network offers this only to accounts with a subscription.',
  resource_access_restricted: 'The network does not let the account reach this resource.',
  action_required: 'The network waits for an action of the owner of the account: sign in there and take it.',

  unprocessable_entity: 'The network cannot process requests of this session in their present form.',

  unexpected_error: 'Something unexpected went wrong at the network.',
  provider_error: 'The network failed. Try again later.',
  authentication_intent_error: 'The network could not begin to authenticate the session. Try again later.',
  no_client_session: 'No client session is open for the account. Try again shortly.',
  no_channel: 'No channel to the network is open for the account. Try again shortly.',
  no_handler: 'Nothing is there to handle the session at the moment. Try again shortly.',
  network_down: 'The network is down. Try again shortly.',
  service_unavailable: 'The network is unavailable. Try again later.',
  request_timeout: 'The network did not respond in time. Try again; contact support if it persists.',
} as const satisfies { readonly [name in ErrorName | 'ok']?: string };

export type SandboxSessionName = keyof typeof sandboxSessions;

const prefix = 'sandbox:';

/** The session token that has this outcome. */
export const sandboxToken = (name: SandboxSessionName): string => `${prefix}${name}`;

/**
 * Begins a call: throws if nobody waits for it any more, or if its session is not sound. A token that the sandbox does
 * not know is `errors/unknown_authentication_context`. A timeout answers at once: nobody should wait to see one.
 */
export function enter(session: ProviderSession, signal: AbortSignal): void {
  requireWanted(signal);
  const outcome = outcomeOf(session.token);
  if (outcome === undefined) {
    throw new ServiceError('unknown_authentication_context', {
      detail: 'The sandbox does not know this session: its token must be sandbox:ok or sandbox:<error name>.',
    });
  }
  failAs(outcome);
}

/** The outcome that `word` names as `sandbox:<name>`; undefined if it names none. */
export function outcomeOf(word: string): SandboxSessionName | undefined {
  const name = word.startsWith(prefix) ? word.slice(prefix.length) : '';
  return Object.hasOwn(sandboxSessions, name) ? (name as SandboxSessionName) : undefined;
}

/** Throws the error of the outcome, if it is one. */
export function failAs(outcome: SandboxSessionName): void {
  if (outcome !== 'ok') throw new ServiceError(outcome, { detail: sandboxSessions[outcome] });
}
