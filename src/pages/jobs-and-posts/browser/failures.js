/** What failures mean to who uses the page, and which field they are of. */
import { count } from './format.js';

const reconnect = { at: 'accountId', text: 'The account is not connected any more. Connect it again.' };
const restricted = { at: 'accountId', text: 'The network does not let this account do that.' };
const unusable = {
  at: 'accountId',
  text: 'The account is not set up for this. Choose another, or ask who connected it.',
};
const nobody = { at: 'identifier', text: 'The network has nobody with this id or name.' };
const away = { at: null, text: 'The network does not respond at the moment. Try again.' };
const ofKey = { at: null, text: 'Your API key may not do this.' };

const byCode = {
  ACCOUNT_CONFIGURATION_ERROR: unusable,
  ACCOUNT_MISMATCH: { at: 'accountId', text: 'Your API key may not use this account.' },
  ACCOUNT_RESTRICTED: { at: 'accountId', text: 'The network has restricted this account.' },
  ACTION_ALREADY_PERFORMED: { at: null, text: 'It is too late for that: the posting has been published or closed.' },
  ACTION_REQUIRED: {
    at: 'accountId',
    text: 'The network asks the owner of the account to confirm something there first.',
  },
  AUTHENTICATION_INTENT_ERROR: reconnect,
  CHECKPOINT_ERROR: { at: null, text: 'The network could not check this. Publish again to get a new code.' },
  CONTENT_TOO_LARGE: { at: null, text: 'The posting is too long for the network. Shorten it.' },
  DISCONNECTED_ACCOUNT: reconnect,
  DISCONNECTED_FEATURE: unusable,
  EXPIRED_CREDENTIALS: reconnect,
  EXPIRED_LINK: reconnect,
  FEATURE_NOT_SUBSCRIBED: unusable,
  INSUFFICIENT_CREDITS: { at: 'mode', text: 'The account has not enough credits for this.' },
  INSUFFICIENT_JOB_SLOT: { at: 'mode', text: 'The account has no free job slot. Close another posting first.' },
  INSUFFICIENT_PERMISSIONS: restricted,
  INVALID_ACCOUNT: { at: 'accountId', text: 'This kind of account cannot do that. Choose another.' },
  INVALID_CHECKPOINT_SOLUTION: { at: 'solution', text: 'This is not what the network sent.' },
  INVALID_CREDENTIALS: reconnect,
  INVALID_CREDENTIALS_BUT_VALID_ACCOUNT_IMAP: reconnect,
  INVALID_PROXY_CREDENTIALS: unusable,
  INVALID_RECIPIENT: nobody,
  INVALID_RESOURCE_IDENTIFIER: nobody,
  INVALID_URL: { at: null, text: 'The network does not accept an address in the posting.' },
  MISSING_CREDENTIALS: ofKey,
  MULTIPLE_SESSIONS: reconnect,
  NETWORK_DOWN: away,
  NO_CHANNEL: away,
  NO_CLIENT_SESSION: reconnect,
  NO_HANDLER: away,
  PAYMENT_ERROR: { at: 'mode', text: 'The payment was declined.' },
  PROVIDER_ERROR: { at: null, text: 'The network failed. Try again.' },
  PROVIDER_UNREACHABLE: away,
  REQUEST_TIMEOUT: {
    at: null,
    text: 'The network took too long. It may have acted all the same: nothing is done twice.',
  },
  RESOURCE_ACCESS_RESTRICTED: restricted,
  RESOURCE_NOT_FOUND: { at: null, text: 'This does not exist any more.' },
  SERVICE_UNAVAILABLE: away,
  SESSION_MISMATCH: reconnect,
  SUBSCRIPTION_REQUIRED: unusable,
  TOO_MANY_CHARACTERS: { at: null, text: 'A text of the posting is too long for the network. Shorten it.' },
  UNESCAPED_CHARACTERS: { at: null, text: 'A text of the posting has characters that the network does not accept.' },
  UNEXPECTED_ERROR: { at: null, text: 'Something went wrong. Try again.' },
  UNKNOWN_AUTHENTICATION_CONTEXT: reconnect,
  UNPROCESSABLE_ENTITY: { at: null, text: 'The network does not accept it as it is.' },
  USER_UNREACHABLE: { at: 'identifier', text: 'This account cannot see their posts.' },
  WRONG_ACCOUNT: reconnect,
};

/**
 * A failure in the words of this page. One of which it knows nothing has those of the gateway.
 * @param {{ code?: string, message: string }} error
 * @returns {{ at: string | null, text: string }} the name of a field, if the failure is of one
 */
export const failureOf = ({ code, message }) => byCode[code] ?? { at: null, text: message };

const entered = 'Enter something.';
const byIssue = {
  CONFLICTING: () => 'This does not go with what you entered elsewhere.',
  INCORRECT: () => 'This is not what the network sent.',
  MALFORMED: () => 'This does not have the right form.',
  NOT_ALLOWED: () => 'This is not one of the possible values.',
  REQUIRED: () => entered,
  TOO_FEW: () => entered,
  TOO_LARGE: (limit) => (limit === null ? 'Enter less.' : `Enter ${count(limit)} or less.`),
  TOO_LONG: (limit) => `Enter at most ${count(limit)} characters.`,
  TOO_MANY: (limit) => `Enter at most ${count(limit)}.`,
  TOO_SHORT: (limit) => (limit === 1 ? entered : `Enter at least ${count(limit)} characters.`),
  TOO_SMALL: (limit) => (limit === null ? 'Enter more.' : `Enter ${count(limit)} or more.`),
};

/**
 * What is wrong with a field.
 * @param {{ code: string, limit: number | null, message: string }} issue
 * @param {Record<string, string>} own words of the field, by code
 */
export const issueText = ({ code, limit, message }, own = {}) =>
  own[code] ?? byIssue[code]?.(limit) ?? `It ${message}.`;
