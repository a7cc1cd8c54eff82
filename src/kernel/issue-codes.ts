/** A closed vocabulary, so that a form can say each in the language of its user. */
export const issueCodes = {
  required: 'Something has to be given here.',
  not_allowed: 'This value cannot be used here.',
  malformed: 'This does not have the right form.',
  incorrect: 'This is not the right one, as a wrong one-time code.',
  conflicting: 'This does not go together with something else that is given, or was given before.',
  unknown_field: 'There is no such field.',
  too_short: 'This text is too short: it needs at least `limit` characters.',
  too_long: 'This text is too long: it can have at most `limit` characters.',
  too_few: 'These are too few: at least `limit` are needed.',
  too_many: 'These are too many: there can be at most `limit`.',
  too_small: 'This number is too small: it has to be at least `limit`, or above 0 if that is null.',
  too_large: 'This number is too large: it can be at most `limit`.',
} as const;

export type IssueCode = keyof typeof issueCodes;
