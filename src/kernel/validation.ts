/** Shared field kinds, with the limits of the contract and of Postern. */
import { z } from 'zod';
import type { ErrorName } from './errors.ts';
import type { IssueCode } from './issue-codes.ts';
import { isShallow, maxJsonDepth } from './lib/json-text.ts';
import { isObject } from './lib/objects.ts';

/** UTF-16 code units, Postern's choice: the contract leaves them open. */
export const limits = {
  text: 20_000,
  name: 255,
  url: 2_048,
  /** More than a URL can carry, so that cursors fit GraphQL too. */
  cursor: 16_384,
} as const;

/** For lists that the contract does not bound. */
export const maxEntries = 250;

/** The end of counting: more would take too long. */
export const maxTotalCount = 10_000;

/** The largest page: that of webhooks (contract, "Limits"), and of every added list. */
export const maxPage = 250;

/** The error type of several violations: the first of these that one has. */
export const precedence = [
  'missing_parameters',
  'invalid_parameters',
  'invalid_url',
  'too_many_characters',
  'limit_too_high',
] as const satisfies readonly ErrorName[];

export type ViolationName = (typeof precedence)[number];

interface RuleOptions {
  /** `errors/invalid_parameters` without it. */
  readonly errorName?: ViolationName;
  readonly limit?: number;
}

export const rule = (code: IssueCode, message: string, options: RuleOptions = {}) => ({
  message,
  params: { code, ...options },
});

/**
 * A rule beyond the contract: it holds in embedded mode; in proxy mode the service judges for itself. Bounds
 * of lists and strings are no such rules: they protect Postern.
 */
export const ownRule = (code: IssueCode, message: string, options: RuleOptions = {}) => ({
  message,
  params: { code, ...options, own: true },
});

/** Options of a rule over fields of an object: it holds also where others, or what else is beside them, are wrong. */
export const over = (...fields: readonly string[]) => ({
  when: ({ value, issues }: z.core.ParsePayload) =>
    isObject(value) && !issues.some(({ path = [] }) => fields.includes(String(path[0]))),
});

const noLongerThan = (max: number) =>
  z
    .string()
    // First and final: no other rule reads a text of a megabyte.
    .refine((value) => value.length <= max, {
      ...rule('too_long', `must have at most ${max} characters`, { errorName: 'too_many_characters', limit: max }),
      abort: true,
    });

const bounded = (max: number) =>
  noLongerThan(max)
    // Postgres cannot store it.
    .refine((value) => !value.includes('\u0000'), rule('malformed', 'must not contain the character U+0000'))
    // A database would store another character in its place.
    .refine((value) => value.isWellFormed(), rule('malformed', 'must not contain a lone surrogate'))
    // JSON Schema cannot see custom rules.
    .meta({ maxLength: max });

export const text = () => bounded(limits.text);

export const shortText = () => bounded(limits.name);

const notEmpty = (value: string) => value !== '';

export const label = () =>
  shortText()
    .refine(notEmpty, ownRule('too_short', 'must not be empty', { limit: 1 }))
    .meta({ minLength: 1 });

export const searchText = () => shortText().min(1, 'must not be empty');

/** An identifier of the network, such as a skill's. */
export const identifier = label;

/** At most 255 characters. Its look-up decides whether it is well formed: that has an error type of its own. */
export const resourceId = () => noLongerThan(limits.name).meta({ minLength: 1, maxLength: limits.name });

export const statement = () =>
  text()
    .refine(notEmpty, ownRule('too_short', 'must not be empty', { limit: 1 }))
    .meta({ minLength: 1 });

export const idempotencyKey = () => shortText().min(1, 'must not be empty').optional();

export const pageCursor = () => bounded(limits.cursor).min(1, 'must not be empty');

/** Unchecked: a malformed id finds nothing, as an unknown one. */
export const idList = () => z.array(z.string()).readonly();

/** An id of the pnet lookups (job titles, companies, locations). */
export const numericId = () =>
  shortText().regex(/^\d+$/, 'must be a numeric id, written as digits in a string').meta({ minLength: 1 });

const urlMessage = 'must be an absolute http or https URL without credentials';
const invalidUrl = { errorName: 'invalid_url' } as const;

export const httpUrl = () =>
  bounded(limits.url)
    .refine((value) => URL.canParse(value), { ...rule('malformed', urlMessage, invalidUrl), abort: true })
    .refine(isHttpUrl, ownRule('malformed', urlMessage, invalidUrl))
    .meta({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/]' });

function isHttpUrl(value: string): boolean {
  // The URL parser strips control characters and white space, repairs backslashes, and takes the first segment of the path
  // for a host that is missing; a caller's URL must need none of that.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it rejects
  if (/[\u0000-\u0020\u007f\\]/.test(value) || !/^https?:\/\/[^/]/i.test(value)) return false;
  const url = URL.parse(value);
  return url !== null && url.username === '' && url.password === '';
}

/** Counts before it reads entries, as Zod's own rules for arrays do not. A longer list is `errors/limit_too_high`. */
export const boundedList = <T extends z.ZodType>(item: T, min: number, max: number) =>
  z
    .preprocess(
      (value, context) => {
        if (!Array.isArray(value) || value.length <= max) return value;
        const tooMany = rule('too_many', `must have at most ${max} entries`, {
          errorName: 'limit_too_high',
          limit: max,
        });
        context.issues.push({ code: 'custom', input: value, ...tooMany });
        return z.NEVER;
      },
      z.array(item).min(min, `must have at least ${min} ${min === 1 ? 'entry' : 'entries'}`),
    )
    .meta({ maxItems: max });

/** Values of which an item has one, so that an empty list finds nothing. Left out, it takes all. */
export const anyValueOf = <const Value extends string>(values: readonly Value[]) =>
  boundedList(z.enum(values), 0, maxEntries).optional();

export const maxWatched = 100;

export const watchedIds = () => boundedList(identifier(), 1, maxWatched);

/** Zod's own JSON shape tries six variants for every value. */
export const jsonObject = () =>
  z
    .custom<Readonly<Record<string, unknown>>>(isObject, rule('malformed', 'must be an object'))
    .refine(isShallow, rule('malformed', `must not be nested more than ${maxJsonDepth} levels deep`))
    .meta({ type: 'object' });

/** A `limit` above `max` is `errors/limit_too_high`. */
export const pageLimit = ({ max, default: usual }: { readonly max: number; readonly default: number }) =>
  z
    .int()
    .min(1)
    .refine(
      (value) => value <= max,
      rule('too_large', `must be at most ${max}`, { errorName: 'limit_too_high', limit: max }),
    )
    .meta({ maximum: max, default: usual });
