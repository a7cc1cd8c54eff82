/** Checks a value against a shape, and tells what breaks it as an error of the contract. */
import { z } from 'zod';
import type { ErrorName, Issue } from './errors.ts';
import { issueLimits, withIssues } from './issues.ts';
import { precedence, type ViolationName } from './validation.ts';

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
    (value, segment) => (typeof value === 'object' && value !== null ? Reflect.get(value, segment) : undefined),
    root,
  );

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
