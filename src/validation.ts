/**
 * What the shapes of all capabilities share: the common kinds of fields, with the limits of the contract and of Postern,
 * and `parse`, which turns a value that breaks a shape into the contract's error.
 */
import { z } from 'zod';
import type { ErrorName, Issue, ServiceError } from './errors.ts';
import { issueLimits, withIssues } from './issues.ts';
import { isShallow, maxJsonDepth } from './json-limits.ts';

/** Lengths in characters (UTF-16 code units). The contract leaves them open; these are Postern's. */
export const limits = {
  text: 20_000,
  name: 255,
  url: 2_048,
  /** More than any URL can carry to us, so that what fits a query fits GraphQL too. */
  cursor: 16_384,
} as const;

/** Lists for which the contract sets no bound have at most this many entries. */
export const maxEntries = 250;

/** The largest page of any list: that of the webhooks (contract, "Limits"), and of every list that is an addition. */
export const maxPage = 250;

/** When several rules are broken, the error has the first of these types that one of the violations has. */
const precedence = [
  'missing_parameters',
  'invalid_parameters',
  'invalid_url',
  'too_many_characters',
  'limit_too_high',
] as const satisfies readonly ErrorName[];

type ViolationName = (typeof precedence)[number];

/** A custom rule whose violation has an error type of its own. Any other violation is `errors/invalid_parameters`. */
const violates = (errorName: ViolationName, message: string) => ({ message, params: { errorName } });

/**
 * A rule of Postern's own, where the contract has none: it holds for the embedded backend, and a service in front of
 * which Postern stands judges for itself. The bounds of lists and strings are no such rules: they protect Postern.
 */
export const ownRule = (message: string, errorName: ViolationName = 'invalid_parameters') => ({
  message,
  params: { errorName, own: true },
});

const bounded = (max: number) =>
  z
    .string()
    // First, and nothing after it: no other rule reads a text of a megabyte.
    .refine((value) => value.length <= max, {
      ...violates('too_many_characters', `must have at most ${max} characters`),
      abort: true,
    })
    // Postgres cannot store it, and no text for people or machines needs it.
    .refine((value) => !value.includes('\u0000'), 'must not contain the character U+0000')
    // JSON Schema cannot see a custom rule: the bound is repeated for it.
    .meta({ maxLength: max });

/** Free text such as a description: at most 20,000 characters. */
export const text = () => bounded(limits.text);

/** A name, title or other short text: at most 255 characters. */
export const shortText = () => bounded(limits.name);

/** An identifier: 1 to 255 characters. The backend decides whether it is well formed. */
export const identifier = () => bounded(limits.name).min(1, 'must not be empty');

const notEmpty = (value: string) => value !== '';

/** Short text that says something. */
export const label = () => shortText().refine(notEmpty, ownRule('must not be empty')).meta({ minLength: 1 });

/** Free text that says something. */
export const statement = () => text().refine(notEmpty, ownRule('must not be empty')).meta({ minLength: 1 });

/** The cursor of a page. */
export const pageCursor = () => bounded(limits.cursor).min(1, 'must not be empty');

/** The ids of a read by id. They are not checked: a malformed id finds nothing, as an unknown one does. */
export const idList = () => z.array(z.string()).readonly();

/** An id of the pnet lookups (job titles, companies, locations): digits. */
export const numericId = () => identifier().regex(/^\d+$/, 'must be a numeric id, written as digits in a string');

const urlMessage = 'must be an absolute http or https URL without credentials';

/** An absolute http(s) URL without credentials, at most 2,048 characters. */
export const httpUrl = () =>
  bounded(limits.url)
    .refine((value) => URL.canParse(value), { ...violates('invalid_url', urlMessage), abort: true })
    .refine(isHttpUrl, ownRule(urlMessage, 'invalid_url'))
    .meta({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' });

function isHttpUrl(value: string): boolean {
  // The URL parser strips control characters and white space and repairs backslashes; a caller's URL must need neither.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
  if (/[\u0000-\u0020\u007f\\]/.test(value) || !/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const url = new URL(value);
  return url.username === '' && url.password === '';
}

/**
 * A list of `min` to `max` entries; a longer one is `errors/limit_too_high`. The length is checked before the entries, so
 * that none of a list that is too long is looked at: Zod's own rules for arrays come after them.
 */
export const boundedList = <T extends z.ZodType>(item: T, min: number, max: number) =>
  z
    .preprocess(
      (value, context) => {
        if (!Array.isArray(value) || value.length <= max) return value;
        const violation = violates('limit_too_high', `must have at most ${max} entries`);
        context.issues.push({ code: 'custom', input: value, ...violation });
        return z.NEVER;
      },
      z.array(item).min(min, `must have at least ${min} ${min === 1 ? 'entry' : 'entries'}`),
    )
    .meta({ maxItems: max });

/** Any JSON object. Zod's own shape of JSON tries six variants for every value in it. */
export const jsonObject = () =>
  z
    .custom<Readonly<Record<string, unknown>>>(isRecord, 'must be an object')
    .refine(isShallow, `must not be nested more than ${maxJsonDepth} levels deep`)
    .meta({ type: 'object' });

/** The `limit` of a list: an integer from 1 to `max`; a larger one is `errors/limit_too_high`. */
export const pageLimit = (max: number) =>
  z
    .int()
    .min(1, 'must be at least 1')
    .refine((value) => value <= max, violates('limit_too_high', `must be at most ${max}`))
    .meta({ maximum: max });

export interface ParseOptions {
  /**
   * The type of the error where the operation has only one for bad input (EDIT and POSTS: `unprocessable_entity`);
   * otherwise the error has the first type of {@link precedence} among the violations that it tells.
   */
  readonly invalid?: ErrorName | undefined;
  /** Whether {@link ownRule}s hold too. */
  readonly ownRules?: boolean;
}

/**
 * Checks `value` against `shape`.
 * @throws ServiceError with an issue for every invalid field, up to {@link issueLimits}
 */
export function parse<T extends z.ZodType>(
  shape: T,
  value: unknown,
  { invalid, ownRules = true }: ParseOptions = {},
): z.output<T> {
  // What `safeParse` does up to the error: that one would get a message for each of what may be a hundred thousand issues.
  const context = { async: false, reportInput: true } as const;
  const result = shape._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new TypeError('Shapes have no asynchronous rules');
  const broken = ownRules ? result.issues : result.issues.filter((issue) => !isOwnRule(issue));
  // A rule does not change the value: it is the shape's output even where one is left to the service.
  if (broken.length === 0) return result.value as z.output<T>;
  const violations = broken.slice(0, issueLimits.count).flatMap((raw) => {
    const issue = z.core.util.finalizeIssue(raw, context, z.core.config());
    return [...violationsOf(issue, value), ...missingInUnion(issue, shape, value)];
  });
  const names = new Set(violations.map(({ errorName }) => errorName));
  const first = precedence.find((name) => names.has(name)) ?? 'invalid_parameters';
  const untold = broken.slice(issueLimits.count).reduce((sum, issue) => sum + weightOf(issue), 0);
  const cutKeys = broken.slice(0, issueLimits.count).reduce((sum, issue) => sum + weightOf(issue) - toldOf(issue), 0);
  throw withIssues(invalid ?? first, violations, violations.length + cutKeys + untold);
}

/** How many violations an issue of Zod stands for, and how many of them are looked at. */
const weightOf = (issue: z.core.$ZodRawIssue): number =>
  issue.code === 'unrecognized_keys' && Array.isArray(issue.keys) ? issue.keys.length : 1;
const toldOf = (issue: z.core.$ZodRawIssue): number => Math.min(weightOf(issue), issueLimits.count);

const isOwnRule = (issue: z.core.$ZodRawIssue): boolean =>
  issue.code === 'custom' && typeof issue.params === 'object' && issue.params !== null && 'own' in issue.params;

/** The error of a request that has the right shape but breaks a rule that no shape can state. */
export const invalidParameters = (issues: readonly Issue[]): ServiceError => withIssues('invalid_parameters', issues);

interface Violation extends Issue {
  readonly errorName: ViolationName;
}

function violationsOf(issue: z.core.$ZodIssue, root: unknown): Violation[] {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, issueLimits.count);
    return keys.map((key) => invalidField([...path, key], 'is not a field of this request'));
  }
  const value = valueAt(root, path);
  if (value === undefined && path.length > 0) return [missingField(path)];
  if (value === null) return [invalidField(path, 'must not be null: leave the field out instead')];
  return [{ path, message: messageOf(issue), errorName: errorNameOf(issue) }];
}

const invalidField = (path: Issue['path'], message: string): Violation => ({
  path,
  message,
  errorName: 'invalid_parameters',
});

const missingField = (path: Issue['path']): Violation => ({
  path,
  message: 'is required',
  errorName: 'missing_parameters',
});

const valueAt = (root: unknown, path: Issue['path']): unknown =>
  path.reduce<unknown>(
    (value, segment) => (isRecord(value) || Array.isArray(value) ? Reflect.get(value, segment) : undefined),
    root,
  );

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The error type that a rule made with {@link violates} carries. */
function errorNameOf(issue: z.core.$ZodIssue): ViolationName {
  const named: unknown = issue.code === 'custom' ? issue.params?.errorName : undefined;
  return precedence.find((name) => name === named) ?? 'invalid_parameters';
}

/**
 * Zod stops at a union whose discriminator matches no variant. A field that every variant requires is missing all the
 * same, and the caller should learn of it in the same response.
 */
function missingInUnion(issue: z.core.$ZodIssue, shape: z.ZodType, value: unknown): Violation[] {
  const atRoot = issue.code === 'invalid_union' && issue.discriminator !== undefined && issue.path.length === 1;
  if (!atRoot || !(shape instanceof z.ZodDiscriminatedUnion)) return [];
  const [first, ...others] = shape.options.filter((option) => option instanceof z.ZodObject).map(({ shape }) => shape);
  return Object.keys(first ?? {})
    .filter((name) => name !== issue.path[0] && valueAt(value, [name]) === undefined)
    .filter((name) => [first, ...others].every((fields) => fields?.[name]?._zod.optin === undefined))
    .map((name) => missingField([name]));
}

/** What follows the field's name. Zod's own message is kept where it reads well there; closed vocabularies are listed. */
function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      // `never` stands for a field that is forbidden: its message says why.
      if (issue.expected === 'never') return issue.message;
      return `must be ${withArticle(issue.expected)}`;
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

function withArticle(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}
