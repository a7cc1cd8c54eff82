/**
 * What a form reads of an invalid request: the field as the form has it, a code, and the bound that the code is about. Over every
 * argument and every field of every input, whether the types, the shapes or the backend refuse the value.
 */
import { buildSchema, type GraphQLInputField, isInputObjectType, type OperationDefinitionNode, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { editJob, publishJob } from '../../src/capabilities/jobs/operations.ts';
import { jobFields } from '../../src/capabilities/jobs/shapes.ts';
import { createWebhook } from '../../src/capabilities/webhooks/operations.ts';
import { coercion } from '../../src/graphql/documents/variables.ts';
import { globalId } from '../../src/graphql/kit/global-ids.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { issueCodes } from '../../src/kernel/issue-codes.ts';
import { limits, maxEntries } from '../../src/kernel/validation.ts';
import { type Gateway, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { definitionOf, fields, type Kind, operations } from '../support/hostile-inputs.ts';
import { schema } from '../support/schema.ts';

interface ShownIssue {
  readonly path: readonly string[];
  readonly code: string;
  readonly limit: number | null;
  readonly message: string;
}

/** What is put at a place of each kind. */
const odd: Readonly<Record<Kind, readonly unknown[]>> = {
  list: [[], new Array(maxEntries + 1).fill('1'), [null], 7],
  object: [{ noSuchField: 1 }],
  value: ['', 'NO_SUCH_VALUE', 'x'.repeat(limits.text + 1), '\u0000', -1, 2 ** 31 - 1, null, {}],
};

/** Messages that say nothing behind a field's name. */
const ofZod = /expected|^(?:Too|Invalid|Unrecognized) /;

const codes = Object.keys(issueCodes).map((code) => code.toUpperCase());
const withBound = ['TOO_SHORT', 'TOO_LONG', 'TOO_FEW', 'TOO_MANY', 'TOO_SMALL', 'TOO_LARGE'];
/** A path as the places are named. */
const placeAt = (path: readonly string[]) =>
  path.reduce((at, key) => (/^\d+$/.test(key) ? `${at}[]` : at === '' ? key : `${at}.${key}`), '');

describe('the issues of a request', () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  const seen = new Set<string>();
  beforeAll(async () => {
    gateway = await startGateway({ environment: { RATE_LIMIT: '0' } });
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  test.each(fields)('of $name name its fields', { timeout: 120_000 }, async ({ name, document, places }) => {
    const names = new Set(places.map((place) => place.name));
    const asked = document.replaceAll('{ path message }', '{ path code limit message }');
    for (const place of places) {
      for (const value of odd[place.kind]) {
        const variables = place.with(value) as Record<string, unknown>;
        const { data, errors } = await graphql(gateway.address, workspace.key, asked, variables);
        const told = [data?.[name]?.issues ?? [], ...errors.map(({ extensions }) => extensions?.issues ?? [])].flat();
        const what = `${place.name}: ${JSON.stringify(value)?.slice(0, 40)}`;
        if ((data ?? null) === null) expect(told, what).not.toEqual([]);
        if (data?.[name]?.code === 'INVALID_PARAMETERS') expect(told, what).not.toEqual([]);
        for (const { path, code, limit, message } of told as ShownIssue[]) {
          seen.add(code);
          expect(codes, what).toContain(code);
          expect(message, what).toMatch(/^\w/);
          expect(message, what).not.toMatch(ofZod);
          // An amount can be as near to 0 as one likes: there is no lowest.
          const isBounded = withBound.includes(code) && message !== 'must be above 0';
          expect(limit !== null, `${what} ${code}`).toBe(isBounded);
          const at = placeAt(code === 'UNKNOWN_FIELD' && path.at(-1) === 'noSuchField' ? path.slice(0, -1) : path);
          expect(names, `${what} is at ${path.join('.')}`).toContain(at);
        }
      }
    }
  });

  test.each(fields.filter(({ document }) => document.startsWith('mutation')))(
    'of $name come all at once',
    { timeout: 120_000 },
    async ({ name, document, places }) => {
      const ask = async (variables: Record<string, unknown>) => {
        const { data } = await graphql(gateway.address, workspace.key, document, variables);
        return (data?.[name]?.issues ?? []) as ShownIssue[];
      };
      /** By field of the input: a value that is refused as data, with the issues of that field. */
      const wrong: Record<string, unknown> = {};
      const least = places.find((place) => place.name === 'input')?.with({}) as { input: object };
      for (const place of places) {
        for (const value of [...odd[place.kind], globalId('Odd', '1')]) {
          const [, field] = /^input\.(\w+)/.exec(place.name) ?? [];
          if (field === undefined || Object.hasOwn(wrong, field)) break;
          const { input } = place.with(value) as { input: Record<string, unknown> };
          const issues = await ask({ input });
          if (issues.some(({ path }) => path[1] === field)) wrong[field] = input[field];
        }
      }
      const issues = await ask({ input: { ...least.input, ...wrong } });
      expect(wrong).not.toEqual({});
      expect(new Set(issues.map(({ path }) => path[1]))).toEqual(new Set(Object.keys(wrong)));
    },
  );

  test('have the codes that a form can tell apart', () => {
    expect(codes.length).toBeLessThanOrEqual(12);
    expect([...seen].sort()).toEqual(
      expect.arrayContaining(['MALFORMED', 'NOT_ALLOWED', 'REQUIRED', 'UNKNOWN_FIELD', ...withBound.slice(0, 4)]),
    );
  });

  test('of variables have the path into the variables, each with its code', async () => {
    const document =
      'mutation ($input: EditJobInput!, $other: PublishJobInput!) { editJob(input: $input) { __typename } publishJob(input: $other) { __typename } }';
    const pay = { currency: 'EUR', min: 'x', payFrequency: 'WEEKLY', noSuchField: 1 };
    const input = {
      accountId: 'a',
      jobId: '1',
      posting: { salary: pay, screeningQuestions: [{}, { numeric: null }], workplace: 7 },
    };
    const { errors } = await graphql(gateway.address, workspace.key, document, { input, other: null });
    const issues = errors.flatMap(({ extensions }) => extensions.issues as ShownIssue[]);
    expect(issues.map(({ path, code }) => [path.join('.'), code]).sort()).toEqual([
      ['input.posting.salary.max', 'REQUIRED'],
      ['input.posting.salary.min', 'MALFORMED'],
      ['input.posting.salary.noSuchField', 'UNKNOWN_FIELD'],
      ['input.posting.salary.payFrequency', 'NOT_ALLOWED'],
      ['input.posting.screeningQuestions.0', 'REQUIRED'],
      ['input.posting.screeningQuestions.1.numeric', 'REQUIRED'],
      ['input.posting.workplace', 'MALFORMED'],
    ]);
  });

  test('of variables that are missing, or null where they must not be', async () => {
    const document = 'query ($a: ID!, $b: ID!) { account(accountId: $a) { id } webhook(webhookId: $b) { id } }';
    const { errors } = await graphql(gateway.address, workspace.key, document, { a: null });
    expect(errors.map(({ extensions }) => extensions.issues)).toEqual([
      [{ path: ['a'], code: 'REQUIRED', limit: null, message: 'must not be null' }],
      [{ path: ['b'], code: 'REQUIRED', limit: null, message: 'is required' }],
    ]);
  });
});

test('the issue of an object belongs to the error of graphql-js that is about the same field', () => {
  const custom = buildSchema(`
    input Inner { a: Int!, b: Int!, c: Int }
    input Choice @oneOf { x: Int, y: Int }
    input Outer { inner: Inner!, inners: [Inner!], choice: Choice }
    type Query { list(outer: Outer, outers: [Outer!]): Int }
  `);
  const definition = parse('query ($outers: [Outer!]) { list(outers: $outers) }').definitions[0];
  const coerce = coercion(custom, definition as OperationDefinitionNode);
  const inner = { a: 1, b: 2 };
  const coerced = coerce({
    outers: [
      { inner: { z: 1, y: 2 }, inners: [{}, inner, { a: 1, w: 1 }], v: 1 },
      { inner, choice: { x: 1, y: 2 }, u: 2 },
      { inner: { ...inner, c: 'text' }, choice: { z: 1 } },
    ],
  });
  const errors = 'errors' in coerced ? coerced.errors : [];
  expect(errors.length).toBeGreaterThan(10);
  for (const { message, extensions } of errors) {
    const [issue] = extensions.issues as [ShownIssue];
    const [, field] = /Field "(\w+)"/.exec(message) ?? [];
    expect({ message, code: issue.code }).toMatchObject({
      code: /was not provided/.test(message)
        ? 'REQUIRED'
        : /is not defined/.test(message)
          ? 'UNKNOWN_FIELD'
          : /Exactly one/.test(message)
            ? expect.stringMatching(/^(?:REQUIRED|CONFLICTING)$/)
            : 'MALFORMED',
    });
    if (field !== undefined) expect(issue.path.at(-1), message).toBe(field);
  }
});

describe('a rule over several fields', () => {
  const odds = {
    salary: { currency: 'EUR', min: 2, max: 1, pay_frequency: 'ODD' },
    company: { odd: 1 },
    screening_questions: [
      { answer_type: 'numeric', question: 1, min_expectation: 2, max_expectation: 1 },
      { answer_type: 'multiple_choices', question: 1, choices: ['a'], expected_choices: ['b'] },
    ],
  };

  test('is told with what is wrong beside them', () => {
    const issuesOf = (check: () => unknown) => {
      try {
        check();
      } catch (error) {
        if (error instanceof ServiceError) return error.issues.map(({ path, message }) => [path.join('.'), message]);
      }
      return [];
    };
    expect(issuesOf(() => editJob.check({ account_id: 'a', job_id: '1', ...odds }))).toEqual(
      expect.arrayContaining([
        ['salary.pay_frequency', expect.any(String)],
        ['salary.max', 'must not be below min'],
        ['company.odd', 'is not a field of this request'],
        ['company', 'needs an id or a text'],
        ['screening_questions.0.question', 'must be a string'],
        ['screening_questions.0.max_expectation', 'must not be below the lowest expected answer'],
        ['screening_questions.1.expected_choices', 'must all be among choices'],
      ]),
    );
    const budget = { daily: { currency: 'EUR', amount: 'x' }, monthly: { currency: 'EUR', amount: 1 } };
    expect(issuesOf(() => publishJob.check({ draft_id: '1', account_id: 'a', mode: 'PROMOTED', budget }))).toEqual([
      ['budget.daily.amount', 'must be a number'],
      ['budget', 'needs either daily or monthly'],
    ]);
    const data = [{ name: 'a', key: 'odd' }, { name: 'a', key: 'event' }, 7];
    expect(
      issuesOf(() => createWebhook.check({ source: 'users', request_url: 'https://x.example/', data })).map(
        ([path]) => path,
      ),
    ).toEqual(expect.arrayContaining(['data.0.key', 'data.1.name', 'data.2']));
  });

  test('says when it holds, whatever else is wrong', () => {
    const seenShapes = new Set<z.core.$ZodType>();
    const silent: string[] = [];
    function walk(shape: z.core.$ZodType, name: string): void {
      if (seenShapes.has(shape)) return;
      seenShapes.add(shape);
      const { checks = [] } = shape._zod.def;
      const ofFields = definitionOf(shape).type === 'object';
      for (const { _zod } of checks) if (ofFields && _zod.def.when === undefined) silent.push(name);
      const { innerType, element, options = [], shape: within = {}, in: input, out } = definitionOf(shape);
      for (const part of [innerType, element, input, out, ...options]) if (part !== undefined) walk(part, name);
      for (const [key, part] of Object.entries(within)) walk(part, `${name}.${key}`);
    }
    for (const [name, { shape }] of operations) walk(shape, name);
    expect(seenShapes.size).toBeGreaterThan(100);
    expect(silent).toEqual([]);
  });
});

/** The fields of an input object. */
const fieldsOf = (name: string): readonly GraphQLInputField[] => {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return Object.values(type.getFields());
};

test('a field of a posting says that it can be cleared if the contract has a way to, and no other says so', () => {
  const shapes: Readonly<Record<string, { safeParse(value: unknown): { success: boolean } }>> = jobFields;
  const renamed: Readonly<Record<string, string>> = { hasRejectionNotification: 'send_rejection_notification' };
  const told = fieldsOf('PnetJobPostingInput').map(({ name, description }) => {
    const shape = shapes[renamed[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
    const takes = (value: unknown) => shape?.safeParse(value).success;
    return {
      name,
      says: /An empty (\w+) clears/.exec(description ?? '')?.[1],
      can: takes('') ? 'text' : takes([]) ? 'list' : undefined,
    };
  });
  expect(told).toHaveLength(Object.keys(jobFields).length);
  expect(told.filter(({ says }) => says !== undefined)).toHaveLength(4);
  for (const { name, says, can } of told) expect(says, name).toBe(can);
});

test('every optional field of a change of a webhook says how it is cleared, or that it cannot be', () => {
  const clearing = /An empty (?:text|list) clears|Cannot be cleared|Defaults to|null for all/;
  const inputs = fieldsOf('UpdateWebhookInput');
  expect(inputs.length).toBeGreaterThan(5);
  for (const field of inputs) {
    // What has a value always can be replaced, and nothing else.
    const isAlwaysSet =
      /!$/.test(String(field.type)) ||
      ['requestUrl', 'format', 'isEnabled', 'receivesNotices', 'trigger'].includes(field.name);
    if (!isAlwaysSet) expect(field.description, field.name).toMatch(clearing);
  }
});
