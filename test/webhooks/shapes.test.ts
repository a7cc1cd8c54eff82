/** What a data mapping may name, and what is left to a service that judges for itself. */
import { describe, expect, it, test } from 'vitest';
import { createJobDraft, editJob, publishJob, solveJobCheckpoint } from '../../src/capabilities/jobs/operations.ts';
import { createWebhook, updateWebhook } from '../../src/capabilities/webhooks/operations.ts';
import { webhookDataKeys, webhookSources } from '../../src/events/sources.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { graphql, startGateway } from '../support/gateway.ts';
import { rest } from '../support/rest.ts';

function issuesOf(run: () => unknown): readonly { readonly path: readonly unknown[] }[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.issues;
    throw error;
  }
}

describe('a data mapping', () => {
  const sources = Object.entries(webhookSources).filter(([, { mapping }]) => mapping !== 'all');

  it.each(sources)('of %s has no field named event, and none twice', (source, { keys }) => {
    const request = (names: readonly string[]) => ({
      source,
      request_url: 'https://a.example',
      data: names.map((name) => ({ name, key: keys[0] })),
    });
    expect(issuesOf(() => createWebhook.check(request(['Event', 'events', 'is_event', '__proto__'])))).toEqual([]);
    expect(issuesOf(() => createWebhook.check(request(['a', 'event']))).map(({ path }) => path)).toEqual([
      ['data', 1, 'name'],
    ]);
    expect(issuesOf(() => createWebhook.check(request(['a', 'b', 'a']))).map(({ path }) => path)).toEqual([
      ['data', 2, 'name'],
    ]);
  });

  it('is refused in an update too', () => {
    const data = [{ name: 'event', key: webhookDataKeys[0] }];
    expect(issuesOf(() => updateWebhook.check({ webhook_id: 'x', data })).map(({ path }) => path)).toEqual([
      ['data', 0, 'name'],
    ]);
  });

  it('is refused over both faces, and the field is named', async () => {
    await using stack = new AsyncDisposableStack();
    const gateway = await startGateway();
    stack.defer(() => gateway.close());
    const { key } = await gateway.workspace();
    const body = { source: 'users', request_url: 'https://a.example', data: [{ name: 'event', key: 'account_id' }] };
    const answer = await rest(gateway.address, key, 'POST', '/v1/webhooks', { body });
    expect([answer.status, answer.body.type]).toEqual([400, 'errors/invalid_parameters']);
    expect(answer.body.detail).toMatch(/^data\.0\.name must not be event/);
    const { data } = await graphql(
      gateway.address,
      key,
      `mutation { createWebhook(input: { requestUrl: "https://a.example", source: USERS, data: [{ name: "event", key: ACCOUNT_ID }] }) {
        ... on InvalidRequestError { code issues { path } } } }`,
    );
    expect(data.createWebhook).toEqual({
      code: 'INVALID_PARAMETERS',
      issues: [{ path: ['input', 'data', '0', 'name'] }],
    });
  });
});

test('an e-mail address may have any character of its standard', () => {
  for (const local of ['a&b', 'a=b', 'a/b', "o'x", 'a!b', 'a~b', 'a+b', 'a.b']) {
    const apply_method = { type: 'pnet', resume_required: true, notification_email: `${local}@c.example` };
    const request = { job_id: '1', account_id: 'a', apply_method };
    expect(editJob.check(request)).toEqual(request);
  }
});

describe('what the contract leaves open', () => {
  const job = { job_id: '1', account_id: 'a' };
  const money = { currency: 'EUR', min: 1, max: 2, pay_frequency: 'YEARLY' };
  const question = { answer_type: 'multiple_choices', question: 'q', choices: ['a'], expected_choices: [] };
  const publish = { draft_id: '1', account_id: 'a', mode: 'PROMOTED' };
  const webhook = { source: 'users', request_url: 'https://a.example' };
  const mail = { type: 'pnet', resume_required: true };

  test.each([
    [editJob, { ...job, job_title: {} }],
    [editJob, { ...job, company: { text: '' } }],
    [editJob, { ...job, salary: { ...money, min: -1 } }],
    [editJob, { ...job, salary: { ...money, min: 3 } }],
    [editJob, { ...job, salary: { ...money, currency: '' } }],
    [editJob, { ...job, apply_method: { ...mail, notification_email: 'jobs@localhost' } }],
    [editJob, { ...job, apply_method: { type: 'external', url: 'mailto:jobs@a.example' } }],
    [editJob, { ...job, tracking_pixel_url: 'ftp://a.example/pixel' }],
    [editJob, { ...job, screening_questions: [{ ...question, choices: [] }] }],
    [editJob, { ...job, screening_questions: [{ ...question, expected_choices: ['b'] }] }],
    [editJob, { ...job, screening_questions: [{ ...question, question: '' }] }],
    [publishJob, { ...publish, budget: { daily: { currency: 'EUR', amount: 0 } } }],
    [solveJobCheckpoint, { draft_id: '1', account_id: 'a', input: '' }],
    [createWebhook, { ...webhook, request_url: 'https://user:word@a.example' }],
    [createWebhook, { ...webhook, headers: [{ key: 'Host', value: 'a' }] }],
    [createWebhook, { ...webhook, data: [{ name: 'event', key: 'timestamp' }] }],
  ])('is refused in embedded mode, and left to the service in proxy mode: %#', ({ check }, request) => {
    expect(issuesOf(() => check(request)).length).toBeGreaterThan(0);
    expect(check(request, false)).toEqual(request);
  });

  test.each([
    [editJob, { ...job, location: 'Rome' }],
    [editJob, { ...job, recruiter: {} }],
    [editJob, { ...job, recruiter: { project_id: '1', functions: ['A'] } }],
    [editJob, { ...job, recruiter: { project_id: '1', skills: [] } }],
    [editJob, { ...job, workplace: 'HOME' }],
    [publishJob, { ...publish, budget: {} }],
    [publishJob, { ...publish, mode: 'PROMOTED_PLUS', service: 'RECRUITER' }],
    [createWebhook, { ...webhook, request_url: 'nonsense' }],
    [createWebhook, { ...webhook, data: [{ name: 'a', key: 'subject' }] }],
    [createJobDraft, { account_id: 'a' }],
  ])('its rules hold in proxy mode too: %#', ({ check }, request) => {
    expect(issuesOf(() => check(request, false)).length).toBeGreaterThan(0);
  });
});
