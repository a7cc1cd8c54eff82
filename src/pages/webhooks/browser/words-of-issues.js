/** What is wrong with a field, in the words of whoever fills it in. */

/** By field and code, where the field says more than the code. */
const ofField = {
  requestUrl: {
    MALFORMED: 'This is no address that events can be sent to. It begins with https:// and has no user name in it.',
    NOT_ALLOWED: 'This address is not public: events cannot be sent there. Use one that the internet can reach.',
  },
  headers: {
    MALFORMED: 'A header has a name without spaces, and a value on one line.',
    NOT_ALLOWED: 'The gateway sets one of these headers itself. Remove it.',
  },
  accountIds: { TOO_FEW: 'Choose at least one account.' },
};

const ofCode = {
  REQUIRED: () => 'Fill this in.',
  TOO_LONG: (limit) => `This is too long: at most ${limit} characters.`,
  TOO_SHORT: (limit) => `This is too short: at least ${limit} characters.`,
  TOO_FEW: (limit) => `Choose at least ${limit}.`,
  TOO_MANY: (limit) => `These are too many: at most ${limit}.`,
};

/** @param {string} name of the field */
export const wordsOf = (name, { code, limit, message }) =>
  ofField[name]?.[code] ?? ofCode[code]?.(limit) ?? `It ${message}.`;
