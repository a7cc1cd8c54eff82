import { z } from 'zod';
import type { ErrorName, Issue, ServiceError } from './errors.ts';
import { type IssueCode, issueCodes } from './issue-codes.ts';
import { issueLimits, withIssues } from './issues.ts';
import { keysOf } from './lib/objects.ts';
import { precedence, type ViolationName } from './validation.ts';

interface ParseOptions {
  /** The only error type of bad input (EDIT, POSTS); else the first of {@link precedence} among the violations. */
  readonly invalid?: ErrorName | undefined;
  /** Whether {@link ownRule}s hold too. */
  readonly ownRules?: boolean;
}

/** @throws ServiceError with an issue for every invalid field, up to {@link issueLimits} */
export function parse<T extends z.ZodType>(
  shape: T,
  value: unknown,
  { invalid, ownRules = true }: ParseOptions = {},
): z.output<T> {
  // `safeParse` up to the error, which would make a message for each of a hundred thousand issues.
  const context = { async: false, reportInput: true } as const;
  const result = shape._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new TypeError('Shapes have no asynchronous rules');
  const broken = ownRules ? result.issues : result.issues.filter((issue) => !isOwnRule(issue));
  // Rules do not change the value: it is the shape's output also where a rule is left to the service.
  if (broken.length === 0) return result.value as z.output<T>;
  const violations = broken.slice(0, issueLimits.count).flatMap((raw) => {
    const issue = z.core.util.finalizeIssue(raw, context, z.core.config());
    return [...violationsOf(issue, value, shape), ...missingInUnion(issue, shape, value)];
  });
  const names = new Set(violations.map(({ errorName }) => errorName));
  const first = precedence.find((name) => names.has(name)) ?? 'invalid_parameters';
  const untold = broken.slice(issueLimits.count).reduce((sum, issue) => sum + weightOf(issue), 0);
  const cutKeys = broken.slice(0, issueLimits.count).reduce((sum, issue) => sum + weightOf(issue) - toldOf(issue), 0);
  throw withIssues(invalid ?? first, violations, violations.length + cutKeys + untold);
}

/** One error with the issues of all, of at least one. */
export function together(errors: readonly ServiceError[]): ServiceError {
  const names = errors.map(({ errorName }) => errorName);
  // An operation may have a single one of its own.
  const own = names.find((name) => !precedence.some((each) => each === name));
  const first = own ?? precedence.find((name) => names.includes(name)) ?? 'invalid_parameters';
  const issues = errors.flatMap((error) => error.issues);
  return withIssues(
    first,
    issues,
    errors.reduce((sum, { moreIssues }) => sum + moreIssues, issues.length),
  );
}

/** The violations that an issue of Zod stands for, and the number of them that is read. */
const weightOf = (issue: z.core.$ZodRawIssue): number =>
  issue.code === 'unrecognized_keys' && Array.isArray(issue.keys) ? issue.keys.length : 1;
const toldOf = (issue: z.core.$ZodRawIssue): number => Math.min(weightOf(issue), issueLimits.count);

const isOwnRule = (issue: z.core.$ZodRawIssue): boolean =>
  issue.code === 'custom' && typeof issue.params === 'object' && issue.params !== null && 'own' in issue.params;

interface Violation extends Issue {
  readonly errorName: ViolationName;
}

function violationsOf(issue: z.core.$ZodIssue, root: unknown, shape: z.ZodType): Violation[] {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)));
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, issueLimits.count);
    return keys.map((key) =>
      path.length === 0 && isOfAnotherVariant(key, shape)
        ? invalidField([key], 'conflicting', `is not accepted with this ${shape.def.discriminator}`)
        : invalidField([...path, key], 'unknown_field', 'is not a field of this request'),
    );
  }
  const value = valueAt(root, path);
  if (value === undefined && path.length > 0) return [missingField(path)];
  if (value === null) return [invalidField(path, 'not_allowed', 'must not be null: leave the field out instead')];
  return [{ path, ...codeAndLimitOf(issue), message: messageOfIssue(issue), errorName: errorNameOf(issue) }];
}

const invalidField = (path: Issue['path'], code: IssueCode, message: string): Violation => ({
  path,
  code,
  message,
  errorName: 'invalid_parameters',
});

const missingField = (path: Issue['path']): Violation => ({
  path,
  code: 'required',
  message: 'is required',
  errorName: 'missing_parameters',
});

const valueAt = (root: unknown, path: Issue['path']): unknown =>
  path.reduce<unknown>(
    (value, segment) => (typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined),
    root,
  );

function codeAndLimitOf(issue: z.core.$ZodIssue): Pick<Issue, 'code' | 'limit'> {
  switch (issue.code) {
    case 'custom': {
      const { code: named, limit }: Record<string, unknown> = issue.params ?? {};
      const code = allIssueCodes.find((each) => each === named) ?? 'malformed';
      return typeof limit === 'number' ? { code, limit } : { code };
    }
    case 'invalid_type':
      return { code: issue.expected === 'never' ? 'conflicting' : 'malformed' };
    case 'invalid_value':
      return { code: 'not_allowed' };
    case 'invalid_union':
      return { code: issue.discriminator === undefined ? 'malformed' : 'not_allowed' };
    case 'too_small':
      return { code: codesOfBounds[issue.code][sizedKindOf(issue)], limit: Number(issue.minimum) };
    case 'too_big':
      return { code: codesOfBounds[issue.code][sizedKindOf(issue)], limit: Number(issue.maximum) };
    default:
      return { code: 'malformed' };
  }
}

const allIssueCodes = keysOf(issueCodes);

const codesOfBounds = {
  too_small: { string: 'too_short', array: 'too_few', number: 'too_small' },
  too_big: { string: 'too_long', array: 'too_many', number: 'too_large' },
} as const satisfies Record<string, Record<string, IssueCode>>;

const sizedKindOf = ({ origin }: { readonly origin: string }): 'string' | 'array' | 'number' =>
  origin === 'string' || origin === 'array' ? origin : 'number';

function errorNameOf(issue: z.core.$ZodIssue): ViolationName {
  const named: unknown = issue.code === 'custom' ? issue.params?.errorName : undefined;
  return precedence.find((name) => name === named) ?? 'invalid_parameters';
}

const isOfAnotherVariant = (name: string, shape: z.ZodType): shape is z.ZodDiscriminatedUnion =>
  shape instanceof z.ZodDiscriminatedUnion &&
  shape.options.some((option) => option instanceof z.ZodObject && Object.hasOwn(option.shape, name));

/** Zod stops at an unknown discriminator; a field that every variant requires is missing all the same. */
function missingInUnion(issue: z.core.$ZodIssue, shape: z.ZodType, value: unknown): Violation[] {
  const atRoot = issue.code === 'invalid_union' && issue.discriminator !== undefined && issue.path.length === 1;
  if (!atRoot || !(shape instanceof z.ZodDiscriminatedUnion)) return [];
  const variants = shape.options.filter((option) => option instanceof z.ZodObject).map(({ shape }) => shape);
  return Object.keys(variants[0] ?? {})
    .filter((name) => name !== issue.path[0] && valueAt(value, [name]) === undefined)
    .filter((name) => variants.every((fields) => fields[name]?.isOptional() === false))
    .map((name) => missingField([name]));
}

/** Zod's own message is kept where it reads well behind a field's name; vocabularies are listed. */
function messageOfIssue(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      // A forbidden field: its message says why.
      if (issue.expected === 'never') return issue.message;
      return `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'invalid_union':
      return issue.discriminator === undefined || issue.inclusive === false
        ? 'fits none of the allowed variants'
        : `must be one of ${issue.options?.join(', ')}`;
    case 'too_small':
      return sizedKindOf(issue) === 'number' ? `must be at least ${issue.minimum}` : issue.message;
    case 'too_big':
      return sizedKindOf(issue) === 'number' ? `must be at most ${issue.maximum}` : issue.message;
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
