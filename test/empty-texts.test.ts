/**
 * A text of the contract may be empty unless it says otherwise: a rule of our own against that is left to a service. The
 * fields are derived from the shapes of all endpoints.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jobCheckpointShape, jobEditShape, jobPublishShape } from '../src/capabilities/jobs/shapes.ts';
import { postListRequestShape } from '../src/capabilities/posts/shapes.ts';
import { webhookCreateShape, webhookDeleteShape } from '../src/capabilities/webhooks/shapes.ts';
import { ServiceError } from '../src/kernel/errors.ts';
import { parse } from '../src/kernel/parse.ts';

type Path = readonly (string | number)[];

interface Text {
  readonly path: Path;
  readonly shape: z.ZodString;
}

/** A value that has every field, and the texts in it; one of each for every combination of variants. */
function samplesOf(shape: z.core.$ZodType, path: Path = []): { value: unknown; texts: Text[] }[] {
  if (shape instanceof z.ZodOptional) return samplesOf(shape.unwrap(), path);
  if (shape instanceof z.ZodPipe) return samplesOf(shape.out, path);
  if (shape instanceof z.ZodDiscriminatedUnion) return shape.options.flatMap((option) => samplesOf(option, path));
  if (shape instanceof z.ZodArray) {
    return samplesOf(shape.element, [...path, 0]).map(({ value, texts }) => ({ value: [value], texts }));
  }
  if (shape instanceof z.ZodObject) {
    const fields = Object.entries(shape.shape).filter(([, field]) => !isForbidden(field));
    const samples = fields.map(([name, field]) => [name, samplesOf(field, [...path, name])] as const);
    const most = Math.max(1, ...samples.map(([, each]) => each.length));
    return Array.from({ length: most }, (_, index) => {
      const chosen = samples.map(([name, each]) => [name, each[index % each.length]] as const);
      return {
        value: Object.fromEntries(chosen.map(([name, sample]) => [name, sample?.value])),
        texts: chosen.flatMap(([, sample]) => sample?.texts ?? []),
      };
    });
  }
  if (shape instanceof z.ZodLiteral) return [{ value: [...shape.values][0], texts: [] }];
  if (shape instanceof z.ZodEnum) return [{ value: shape.options[0], texts: [] }];
  if (shape instanceof z.ZodNumber) return [{ value: 1, texts: [] }];
  if (shape instanceof z.ZodBoolean) return [{ value: true, texts: [] }];
  if (shape instanceof z.ZodString) return [{ value: '1', texts: [{ path, shape }] }];
  throw new Error(`Write a sample for ${path.join('.')}`);
}

const isForbidden = (field: z.core.$ZodType): boolean =>
  field instanceof z.ZodOptional ? isForbidden(field.unwrap()) : field instanceof z.ZodNever;

function withText(value: unknown, [name, ...rest]: Path, text: string): unknown {
  if (name === undefined) return text;
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as object) };
  copy[name] = withText(copy[name], rest, text);
  return copy;
}

/** What the contract itself says about a text, so that it cannot be empty. */
const cannotBeEmpty: Readonly<Record<string, string>> = {
  'job_title.id': 'numeric',
  'company.id': 'numeric',
  location: 'numeric',
  tracking_pixel_url: 'a URL',
  'apply_method.url': 'a URL',
  request_url: 'a URL',
  cursor: 'minimum length 1',
};

const shapes = {
  EDIT: jobEditShape,
  PUB: jobPublishShape,
  CHK: jobCheckpointShape,
  POSTS: postListRequestShape,
  WHCREATE: webhookCreateShape,
  WHDEL: webhookDeleteShape,
} as const;

const issuesAt = (shape: z.ZodType, value: unknown, path: Path, ownRules: boolean): string[] => {
  try {
    parse(shape, value, { ownRules });
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.issues.filter((issue) => issue.path.join('.') === path.join('.')).map(({ message }) => message);
  }
};

describe.each(Object.entries(shapes))('%s', (_name, shape) => {
  const samples = samplesOf(shape);
  const cases = new Map(
    samples.flatMap(({ value, texts }) => texts.map(({ path }) => [path.join('.'), { value, path }] as const)),
  );

  test.each([...cases.keys()])('%s', (name) => {
    const { value, path } = cases.get(name) ?? { value: null, path: [] };
    const issues = issuesAt(shape, withText(value, path, ''), path, false);
    if (cannotBeEmpty[name] === undefined) expect(issues).toEqual([]);
    else expect(issues).not.toEqual([]);
  });
});
