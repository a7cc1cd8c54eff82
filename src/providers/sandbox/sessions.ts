import { type ErrorName, SessionFailure } from '../../kernel/errors.ts';
import { keysOf } from '../../kernel/lib/objects.ts';
import type { ProviderSession } from '../provider.ts';
import { throwIfAborted } from './delay.ts';

/**
 * Outcome of every call over a session with the token `sandbox:<name>`: `ok`, or an error that only a network can know.
 * Errors of API keys and of an account's type and status arise before. The texts are the `detail` that callers see.
 */
export const sandboxSessions = {
  ok: 'The session is valid: calls succeed unless their arguments choose another outcome.',

  multiple_sessions: 'The account is signed in elsewhere. Connect a recruiter account with the cookie method.',
  wrong_account: 'The network reports that the session belongs to another account: reconnect the right one.',
  invalid_credentials: 'The network rejects the credentials of the account: reconnect it.',
  invalid_proxy_credentials: 'The proxy of the account rejects its credentials: correct them and reconnect.',
  invalid_checkpoint_solution: 'The network rejected the answer to its sign-in check: reconnect the account.',
  checkpoint_error:
    'The network requires a sign-in check that cannot be solved here: sign in to the network itself first.',
  expired_link: 'The sign-in link of the account has expired: generate a new one.',
  disconnected_feature: 'This feature of the account is disconnected: reconnect the account with it.',
  invalid_credentials_but_valid_account_imap:
    'The IMAP or SMTP credentials are invalid, but the account is valid: correct the credentials.',

  insufficient_permissions: 'The account lacks the permission for this on the network: have it granted.',
  unknown_authentication_context:
    'The network does not recognize the context that the account signed in from: reconnect it.',
  session_mismatch: 'The session does not belong to the user that the network expects: reconnect the account.',
  feature_not_subscribed: 'The subscription of the account does not include this feature.',
  subscription_required: 'The network offers this only to accounts with a subscription.',
  resource_access_restricted: 'The network does not let the account access this resource.',
  action_required:
    'The network requires an action from the owner of the account: sign in to the network and complete it.',

  unprocessable_entity: 'The network cannot process requests of this session in their present form.',

  unexpected_error: 'Something unexpected went wrong on the network.',
  provider_error: 'The network failed. Try again later.',
  authentication_intent_error: 'The network could not start to authenticate the session. Try again later.',
  no_client_session: 'No client session is open for the account. Try again shortly.',
  no_channel: 'No channel to the network is open for the account. Try again shortly.',
  no_handler: 'No handler is available for the session. Try again shortly.',
  network_down: 'The network is down. Try again shortly.',
  service_unavailable: 'The network is unavailable. Try again later.',
  request_timeout: 'The network did not respond in time. Try again; contact support if it persists.',
} as const satisfies { readonly [name in ErrorName | 'ok']?: string };

export type SandboxSessionName = keyof typeof sandboxSessions;

const tokenPrefix = 'sandbox:';

export const sandboxSessionNames = keysOf(sandboxSessions);

export const sandboxToken = (name: SandboxSessionName): string => `${tokenPrefix}${name}`;

/**
 * First step of every call. A session whose outcome is a timeout fails at once.
 * @throws ServiceError `request_timeout` when `signal` has aborted
 * @throws SessionFailure `unknown_authentication_context` for an unknown token, and the outcome of the session
 */
export function requireValidSession(session: ProviderSession, signal: AbortSignal): void {
  throwIfAborted(signal);
  const outcome = sessionOutcome(session.token);
  if (outcome === undefined) {
    throw new SessionFailure('unknown_authentication_context', {
      detail: 'The sandbox does not know this session: the token must be sandbox:ok or sandbox:<error name>.',
    });
  }
  if (outcome !== 'ok') throw new SessionFailure(outcome, { detail: sandboxSessions[outcome] });
}

const sessionOutcome = (token: string): SandboxSessionName | undefined =>
  sandboxSessionNames.find((name) => token === sandboxToken(name));
