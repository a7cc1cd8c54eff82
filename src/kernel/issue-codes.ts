/** A closed vocabulary, so that a page can word problems in its own language. */
export const issueCodes = {
  required: 'The field is missing.',
  not_null: 'The field is null. Leave it out instead.',
  unknown_field: 'The request has no such field.',
  wrong_type: 'The value is of another type.',
  malformed: 'The value is of the right type, but not of the right form, such as text that is no URL.',
  not_allowed: 'The value is none of those that are allowed.',
  too_short: 'The text has fewer characters than `limit`.',
  too_long: 'The text has more characters than `limit`.',
  too_few: 'The list has fewer entries than `limit`.',
  too_many: 'The list has more entries than `limit`.',
  too_small: 'The number is below `limit`.',
  too_large: 'The number is above `limit`.',
  not_positive: 'The number is not above 0.',
  not_exactly_one: 'Of the fields of the object, exactly one must be present.',
  none_of_several: 'Of the fields of the object, at least one must be present.',
  inconsistent: 'The value contradicts that of another field.',
  duplicate: 'Another entry has the value, which only one may have.',
  not_accepted: 'The field is not accepted together with the others.',
  incorrect: 'The value is of the right form, but not the one that is asked for, such as a wrong one-time code.',
  not_applicable: 'The value does not fit the object that the request is about.',
  forbidden: 'The value is well formed, but the gateway does not permit it.',
  already_used: 'The value was used before, for another request.',
} as const;

export type IssueCode = keyof typeof issueCodes;
