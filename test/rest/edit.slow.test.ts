/** EDIT: a case for every field and state of the contract, over REST on every backend, and over GraphQL. */
import { describe, expect, test } from 'vitest';
import { jobEditShape } from '../../src/capabilities/jobs/shapes.ts';
import * as words from '../../src/capabilities/jobs/vocabulary.ts';
import { allBackends, onOneDatabase } from '../support/backends.ts';
import { facesOver } from '../support/faces.ts';
import { noFlag, noNumber, noText, type Samples, urls } from '../support/samples.ts';
import { expectError, fieldsOf, serveRest } from '../support/serve-rest.ts';

const pay = { currency: 'EUR', min: 1, max: 2.5, pay_frequency: 'YEARLY' };
const badPays = [
  ...['currency', 'min', 'max', 'pay_frequency'].map((name) => ({ ...pay, [name]: undefined })),
  { ...pay, currency: 'EURO' },
  { ...pay, min: -1 },
  { ...pay, min: 2, max: -1 },
  { ...pay, min: '1' },
  { ...pay, min: 3 },
  { ...pay, pay_frequency: 'WEEKLY' },
  { ...pay, extra: 1 },
];
const goodPays = words.payFrequencies.map((pay_frequency) => ({ ...pay, pay_frequency }));
const titles = {
  good: [{ id: '12' }, { text: 'Engineer' }, { id: '12', text: 'x' }],
  bad: ['x', { id: 12 }, { id: 'x' }, {}],
};
const numeric: Samples = {
  question: { good: ['Years?'], bad: [...noText, '', 'x'.repeat(20_001)] },
  answer_type: { good: ['numeric'], bad: ['text', null] },
  position: { good: [0, 1.5], bad: noNumber },
  must_match: { good: [true, false], bad: noFlag },
  min_expectation: { good: [-1, 0], bad: noNumber },
  max_expectation: { good: [3], bad: noNumber },
};
const choice: Samples = {
  question: { good: ['Which?'], bad: [...noText, ''] },
  answer_type: { good: ['multiple_choices'], bad: ['choices'] },
  choices: { good: [['a', 'b']], bad: ['a', [1], [], null] },
  expected_choices: { good: [['a'], []], bad: ['a', [1], ['c'], null] },
  position: { good: [1], bad: noNumber },
  must_match: { good: [true], bad: noFlag },
};
const idList = (max: number) => ({
  good: [['a'], Array.from({ length: max }, (_, index) => `${index}`)],
  bad: [[], Array.from({ length: max + 1 }, (_, index) => `${index}`), 'a', [1], null],
});
const recruiter: Samples = {
  project_id: { good: ['p1'], bad: [...noText, ''] },
  functions: { ...idList(3), bad: [...idList(3).bad, ['Upper']] },
  industries: idList(3),
  skills: idList(10),
  seniority: { good: words.seniorities, bad: ['BOSS', 1, null] },
  include_poster_info: { good: [true, false], bad: noFlag },
};
const smallest = (samples: Samples, required: readonly string[]) =>
  Object.fromEntries(required.map((name) => [name, samples[name]?.good[0]]));
/** One object for each sample of each field, and one without each required field. */
const objects = (samples: Samples, required: readonly string[]) => ({
  good: Object.entries(samples).flatMap(([name, { good }]) =>
    good.map((value) => ({ ...smallest(samples, required), [name]: value })),
  ),
  bad: [
    ...Object.entries(samples).flatMap(([name, { bad }]) =>
      bad.map((value) => ({ ...smallest(samples, required), [name]: value })),
    ),
    ...required.map((name) => ({ ...smallest(samples, required), [name]: undefined })),
    { ...smallest(samples, required), unknown_field: 1 },
  ],
});
const listed = ({ good, bad }: { good: unknown[]; bad: unknown[] }) => ({
  good: good.map((each) => [each]),
  bad: bad.map((each) => [each]),
});

const edit: Samples = {
  job_title: titles,
  company: titles,
  workplace: { good: words.workplaces, bad: ['MOON', 'remote', 1, null] },
  location: { good: ['103644278'], bad: [1, 'Paris', '', null] },
  employment_status: { good: words.employmentStatuses, bad: ['SLAVERY', null] },
  description: { good: ['<p>Hi</p>', '', 'x'.repeat(20_000)], bad: [...noText, 'x'.repeat(20_001)] },
  auto_rejection_template: { good: ['Sorry.'], bad: noText },
  screening_questions: {
    good: [
      [],
      ...listed(objects(numeric, ['question', 'answer_type'])).good,
      ...listed(objects(choice, ['question', 'answer_type', 'choices', 'expected_choices'])).good,
    ],
    bad: [
      {},
      [{ ...smallest(numeric, ['question', 'answer_type']), min_expectation: 2, max_expectation: 1 }],
      [{ question: 'Which?', answer_type: 'multiple_choices', choices: [], expected_choices: [] }],
      ...listed(objects(numeric, ['question', 'answer_type'])).bad,
      ...listed(objects(choice, ['question', 'answer_type', 'choices', 'expected_choices'])).bad,
    ],
  },
  recruiter: objects(recruiter, ['project_id']),
  tracking_pixel_url: urls,
  company_job_id: { good: ['ref-1', ''], bad: [...noText, 'x'.repeat(256)] },
  apply_method: {
    good: [
      { type: 'pnet', notification_email: 'a@example.org', resume_required: true },
      { type: 'external', url: 'https://example.org/apply' },
    ],
    bad: [
      { type: 'pnet', notification_email: 'a@example.org' },
      { type: 'pnet', resume_required: true },
      ...['nobody', 'no.body', 'a@localhost'].map((notification_email) => ({
        type: 'pnet',
        notification_email,
        resume_required: true,
      })),
      { type: 'external' },
      ...urls.bad.map((url) => ({ type: 'external', url })),
      { type: 'external', url: 'https://example.org', resume_required: true },
      { type: 'fax' },
      {},
      'external',
    ],
  },
  salary: { good: goodPays, bad: badPays },
  additional_compensation: { good: goodPays, bad: badPays },
  auto_archive_applicants: {
    good: [{}, { screening_questions: false }, { outside_of_country: true }],
    bad: [{ screening_questions: 'no' }, { outside_of_country: 1 }, { other: true }, true],
  },
  send_rejection_notification: { good: [true, false], bad: noFlag },
};

test('the samples have every field of the contract', () => {
  const names = (samples: Samples, ...more: string[]) => [...Object.keys(samples), ...more].sort();
  expect(names(edit, 'account_id')).toEqual(fieldsOf('fields of the edit body'));
  expect(names(numeric)).toEqual(fieldsOf('fields of a numeric question'));
  expect(names(choice)).toEqual(fieldsOf('fields of a choice question'));
  expect(names(recruiter)).toEqual(fieldsOf('fields of the recruiter block'));
});

describe.each(onOneDatabase(allBackends))('over the $name backend', (backend) => {
  const api = serveRest(backend);
  const { send, patch, draft } = api;

  describe('the fields', () => {
    describe.each(facesOver(backend))('over $name', (face) => {
      test.each(Object.entries(edit))('%s', async (name, { good, bad }) => {
        const edited = (job_id: string, value: unknown) =>
          api.ask(face, 'EDIT', { account_id: api.account, job_id, [name]: value });
        const id = await draft();
        for (const value of good) {
          expect(await edited(id, value)).toMatchObject({ object: 'PnetJobPostingEdited' });
          const { fields } = await api.workspace.job(id);
          // An empty text clears a field.
          if (value === '') expect(fields).not.toHaveProperty(name);
          else expect(fields).toMatchObject({ [name]: value });
        }
        let other = await draft();
        const before = await api.workspace.job(other);
        for (const value of bad) {
          const { object, type, detail } = await edited(other, value);
          if (object !== undefined && face.coerces) {
            const { fields } = await api.workspace.job(other);
            expect(jobEditShape.safeParse({ ...fields, job_id: '1', account_id: '1' }).error).toBeUndefined();
            other = await draft();
            continue;
          }
          expect(type, JSON.stringify(value)).toMatch(
            face.coerces ? /unprocessable_entity|invalid_parameters/ : 'unprocessable_entity',
          );
          // A service tells of its own rules in the contract's terms.
          expect(detail).toMatch(new RegExp(`${name}|${face.nameOf(name)}`));
        }
        expect(await api.workspace.job(other)).toEqual(before);
      });
    });

    test('only the given fields change, and a list is replaced as a whole', async () => {
      const id = await draft();
      const question = { question: 'Years?', answer_type: 'numeric' };
      await patch(id, { workplace: 'REMOTE', screening_questions: [question, question] });
      await patch(id, { description: 'New', screening_questions: [question] });
      expect((await api.workspace.job(id)).fields).toMatchObject({
        workplace: 'REMOTE',
        description: 'New',
        screening_questions: [question],
      });
    });

    test('account_id is required, and the error names every missing or unknown field', async () => {
      const response = await send('PATCH', '/v1/pnet/jobs/1', { body: { recruiter: {}, salery: 1, colour: 'red' } });
      expectError(
        response,
        422,
        'unprocessable_entity',
        /account_id.*recruiter\.project_id|recruiter\.project_id.*account_id/,
      );
      expect(response.body.detail).toMatch(/salery is not a field/);
      expect(response.body.detail).toMatch(/colour is not a field/);
    });
  });

  describe('the states', () => {
    test.each(['active', 'review', 'paused', 'draft'] as const)(
      'a job in the state %s can be edited',
      async (state) => {
        expect((await patch(await draft({ state }), { workplace: 'REMOTE' })).status).toBe(200);
      },
    );
    test('a closed job cannot be edited', async () => {
      const id = await draft({ state: 'closed' });
      expectError(await patch(id, { workplace: 'REMOTE' }), 422, 'action_already_performed');
    });
  });
});
