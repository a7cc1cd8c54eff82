/**
 * What the shapes of all capabilities share: the common kinds of fields, with the limits of the contract and of Postern.
 * parse.ts checks values against shapes.
 */
import { z } from 'zod';
import type { ErrorName } from './errors.ts';
import { isShallow, maxJsonDepth } from './lib/json-limits.ts';

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

/** Where the counting of a list ends: more would take too long. */
export const maxTotalCount = 10_000;

/** The largest page of any list: that of the webhooks (contract, "Limits"), and of every list that is an addition. */
export const maxPage = 250;

/** When several rules are broken, the error has the first of these types that one of the violations has. */
export const precedence = [
  'missing_parameters',
  'invalid_parameters',
  'invalid_url',
  'too_many_characters',
  'limit_too_high',
] as const satisfies readonly ErrorName[];

export type ViolationName = (typeof precedence)[number];

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

const noLongerThan = (max: number) =>
  z
    .string()
    // First, and nothing after it: no other rule reads a text of a megabyte.
    .refine((value) => value.length <= max, {
      ...violates('too_many_characters', `must have at most ${max} characters`),
      abort: true,
    });

const bounded = (max: number) =>
  noLongerThan(max)
    // Postgres cannot store it, and no text for people or machines needs it.
    .refine((value) => !value.includes('\u0000'), 'must not contain the character U+0000')
    // JSON Schema cannot see a custom rule: the bound is repeated for it.
    .meta({ maxLength: max });

/** Free text such as a description: at most 20,000 characters. */
export const text = () => bounded(limits.text);

/** A name, title or other short text: at most 255 characters. */
export const shortText = () => bounded(limits.name);

const notEmpty = (value: string) => value !== '';

/** Short text that says something. */
export const label = () => shortText().refine(notEmpty, ownRule('must not be empty')).meta({ minLength: 1 });

/** An identifier of the network, such as that of a skill: 1 to 255 characters. */
export const identifier = label;

/**
 * The id of the account, job, webhook or person that a request is about: at most 255 characters. Whether it is well formed
 * decides what looks it up, because a malformed id has an error type of its own. An empty one is malformed like any other.
 */
export const resourceId = () => noLongerThan(limits.name).meta({ minLength: 1, maxLength: limits.name });

/** Free text that says something. */
export const statement = () => text().refine(notEmpty, ownRule('must not be empty')).meta({ minLength: 1 });

/** The cursor of a page. */
export const pageCursor = () => bounded(limits.cursor).min(1, 'must not be empty');

/** The ids of a read by id. They are not checked: a malformed id finds nothing, as an unknown one does. */
export const idList = () => z.array(z.string()).readonly();

/** An id of the pnet lookups (job titles, companies, locations): digits. */
export const numericId = () =>
  shortText().regex(/^\d+$/, 'must be a numeric id, written as digits in a string').meta({ minLength: 1 });

const urlMessage = 'must be an absolute http or https URL without credentials';

/** An absolute http(s) URL without credentials, at most 2,048 characters. */
export const httpUrl = () =>
  bounded(limits.url)
    .refine((value) => URL.canParse(value), { ...violates('invalid_url', urlMessage), abort: true })
    .refine(isHttpUrl, ownRule(urlMessage, 'invalid_url'))
    .meta({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/]' });

function isHttpUrl(value: string): boolean {
  // The URL parser strips control characters and white space, repairs backslashes, and takes the first segment of the path
  // for a host that is missing; a caller's URL must need none of that.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
  if (/[\u0000-\u0020\u007f\\]/.test(value) || !/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value)) return false;
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

/** A filter of a list: the values of which an item has one. Without any, nothing is filtered. */
export const anyValueOf = <const Value extends string>(values: readonly Value[]) =>
  boundedList(z.enum(values), 0, maxEntries).optional();

/** Objects that one subscription watches. */
export const maxWatched = 100;

/** The ids of what a subscription watches. */
export const watchedIds = () => boundedList(identifier(), 1, maxWatched);

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
