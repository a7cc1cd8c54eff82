/**
 * What the shapes of all capabilities share: the common field kinds with the limits of the contract and of the design,
 * and `parse`, which turns what does not fit into the contract's error type.
 */
import { z } from 'zod';
import { type ErrorName, type Issue, ServiceError } from './errors.ts';

/** Lengths in characters (UTF-16 code units). The contract leaves them open; these are Postern's. */
export const limits = {
  text: 20_000,
  name: 255,
  url: 2_048,
} as const;

/**
 * A custom rule names the contract's error type that its violation has; where it names none, the violation is
 * `errors/invalid_parameters`.
 */
const violates = (name: ErrorName, message: string) => ({ message, params: { errorName: name } });

const bounded = (max: number) =>
  z
    .string()
    // No database keeps it, and no text for people or machines needs it.
    .refine((value) => !value.includes('\u0000'), 'must not hold the character U+0000')
    .refine((value) => value.length <= max, violates('too_many_characters', `must have at most ${max} characters`))
    // A rule that names its own error type is one that JSON Schema does not see: it is told of its bound.
    .meta({ maxLength: max });

/** Free text such as a description: at most 20,000 characters. */
export const text = () => bounded(limits.text);

/** A name, title or other short text: at most 255 characters. */
export const shortText = () => bounded(limits.name);

/** An identifier: 1 to 255 characters. Whether it is well formed is the backend's to say. */
export const identifier = () => bounded(limits.name).min(1, 'must not be empty');

/** The ids of a read by id, as they are: one that is malformed is the id of nothing. */
export const idList = () => z.array(z.string()).readonly();

/** An id of the pnet lookups (job titles, companies, locations): digits. */
export const numericId = () => identifier().regex(/^\d+$/, 'must be a numeric id, written as digits in a string');

/** An absolute http(s) URL without credentials, at most 2,048 characters. */
export const httpUrl = () =>
  bounded(limits.url)
    .refine(isHttpUrl, violates('invalid_url', 'must be an absolute http or https URL without credentials'))
    .meta({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' });

function isHttpUrl(value: string): boolean {
  // The URL parser strips control characters and white space and repairs backslashes; a caller's URL must need neither.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(value) || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return url.username === '' && url.password === '';
}

/** Entries of the lists for which the contract names no bound. */
export const maxEntries = 250;

/** A list whose length above `max` is `errors/limit_too_high`. */
export const boundedList = <T extends z.ZodType>(item: T, min: number, max: number) =>
  z
    .array(item)
    .min(min, `must have at least ${min} ${min === 1 ? 'entry' : 'entries'}`)
    .refine((list) => list.length <= max, violates('limit_too_high', `must have at most ${max} entries`))
    .meta({ maxItems: max });

/** `limit` of a list: an integer from 1 to `max`; above it `errors/limit_too_high`. */
export const pageLimit = (max: number) =>
  z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .refine((value) => value <= max, violates('limit_too_high', `must be at most ${max}`))
    .meta({ maximum: max });

/** When several rules are broken, the type of the answer is the first of these that one of them has. */
const precedence: readonly ErrorName[] = [
  'missing_parameters',
  'invalid_parameters',
  'invalid_url',
  'too_many_characters',
  'limit_too_high',
];

/**
 * Checks `value` against `shape`. What does not fit throws a ServiceError that names every offending field: of the type
 * `invalid` where the operation has only one for bad input (EDIT and POSTS: `unprocessable_entity`), else of the
 * contract's type for the gravest of the broken rules.
 */
export function parse<T extends z.ZodType>(shape: T, value: unknown, invalid?: ErrorName): z.output<T> {
  const result = shape.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const found = result.error.issues.flatMap((issue) => [
    ...describe(issue, value),
    ...missingBeside(issue, shape, value),
  ]);
  const names = new Set(found.map(({ errorName }) => errorName));
  const gravest = precedence.find((name) => names.has(name)) ?? 'invalid_parameters';
  const issues = found.map(({ path, message }) => ({ path, message }));
  throw new ServiceError(invalid ?? gravest, { detail: detailOf(issues), issues });
}

/** What is wrong with a request as one sentence: every field that is, and why. */
export const detailOf = (issues: readonly Issue[]): string =>
  issues.map(({ path, message }) => `${path.length === 0 ? 'The request' : path.join('.')} ${message}`).join('; ');

interface FoundIssue extends Issue {
  readonly errorName: ErrorName;
}

function describe(issue: z.core.$ZodIssue, root: unknown): FoundIssue[] {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: 'is not a field of this request',
      errorName: 'invalid_parameters',
    }));
  }
  const value = path.reduce<unknown>((at, segment) => (at as Record<string, unknown> | undefined)?.[segment], root);
  if (value === undefined && path.length > 0) {
    return [{ path, message: 'is required', errorName: 'missing_parameters' }];
  }
  if (value === null) {
    return [{ path, message: 'must not be null: leave the field out instead', errorName: 'invalid_parameters' }];
  }
  const errorName = (issue.code === 'custom' ? issue.params?.errorName : undefined) as ErrorName | undefined;
  return [{ path, message: readable(issue), errorName: errorName ?? 'invalid_parameters' }];
}

/**
 * A union whose discriminator fits no variant is judged by nothing else. What every variant requires is missing all the
 * same, and a caller wants to hear of it at once.
 */
function missingBeside(issue: z.core.$ZodIssue, shape: z.ZodType, value: unknown): FoundIssue[] {
  const atRoot = issue.code === 'invalid_union' && issue.discriminator !== undefined && issue.path.length === 1;
  if (!atRoot || !(shape instanceof z.ZodDiscriminatedUnion)) return [];
  const [first, ...others] = shape.options.filter((option) => option instanceof z.ZodObject).map(({ shape }) => shape);
  const given = value as Readonly<Record<string, unknown>>;
  return Object.keys(first ?? {})
    .filter((name) => name !== issue.path[0] && given[name] === undefined)
    .filter((name) => [first, ...others].every((fields) => fields?.[name]?._zod.optin === undefined))
    .map((name) => ({ path: [name], message: 'is required', errorName: 'missing_parameters' }));
}

/** Zod's own messages stand where they read well behind a field's name; the closed vocabularies are spelt out. */
function readable(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      // A value that fits nothing has a message that says why.
      if (issue.expected === 'never') return issue.message;
      return `must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'invalid_union':
      return issue.discriminator === undefined
        ? 'fits none of the allowed variants'
        : 'is not one of the allowed values';
    case 'invalid_format':
      return issue.message.startsWith('must') ? issue.message : `must be a valid ${issue.format}`;
    default:
      return issue.message;
  }
}

const article = (expected: string) => (/^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`);
