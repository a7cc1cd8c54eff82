/** A closed vocabulary, so that a form can say each in the language of its user. */
export const issueCodes = {
  required: 'Something has to be given here.',
  not_allowed: 'This value cannot be used here.',
  malformed: 'This does not have the right form.',
  incorrect: 'This is not the right one, as a wrong one-time code.',
  conflicting: 'This does not go together with something else.',
  unknown_field: 'There is no such field.',
  too_short: 'This is too short: at least `limit` characters.',
  too_long: 'This is too long: at most `limit` characters.',
  too_few: 'These are too few: at least `limit`.',
  too_many: 'These are too many: at most `limit`.',
  too_small: 'This is too small: at least `limit`, or above 0 if that is null.',
  too_large: 'This is too large: at most `limit`.',
} as const;

export type IssueCode = keyof typeof issueCodes;
