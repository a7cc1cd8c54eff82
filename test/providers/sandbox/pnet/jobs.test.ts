import { describe, expect, it } from 'vitest';
import { jobStates } from '../../../../src/capabilities/jobs/vocabulary.ts';
import type { ErrorName } from '../../../../src/kernel/errors.ts';
import {
  companyJobId,
  type JobScenarioName,
  jobScenarioNames,
  jobScenarios,
} from '../../../../src/providers/sandbox/networks.ts';
import { failure, networks, never, ok, publish, publishing, walk } from '../../../support/sandbox.ts';

describe('publishing', () => {
  const promotedOnly: Partial<Record<JobScenarioName, ErrorName>> = {
    'payment-error': 'payment_error',
    'insufficient-credits': 'insufficient_credits',
  };
  const failing: Partial<Record<JobScenarioName, ErrorName>> = {
    'insufficient-job-slot': 'insufficient_job_slot',
    'already-performed': 'action_already_performed',
    unprocessable: 'unprocessable_entity',
    'invalid-account': 'invalid_account',
    configuration: 'account_configuration_error',
    'provider-error': 'provider_error',
    timeout: 'request_timeout',
    'response-lost': 'request_timeout',
    'malformed-request': 'malformed_request',
    'content-too-large': 'content_too_large',
    'invalid-url': 'invalid_url',
    'too-many-characters': 'too_many_characters',
    'unescaped-characters': 'unescaped_characters',
    'missing-parameters': 'missing_parameters',
    'limit-too-high': 'limit_too_high',
  };

  it.each(['publish', 'review', 'paused', 'closed', 'draft', 'slow'] as const)(
    '%s publishes immediately',
    async (name) => {
      const state = {
        publish: 'active',
        slow: 'active',
        review: 'review',
        paused: 'paused',
        closed: 'closed',
        draft: 'draft',
      }[name];
      expect(await publish(name)).toEqual({ kind: 'published', state });
    },
  );

  it('reaches every state', () => {
    const states = Object.values(jobScenarios).map((scenario) => ('state' in scenario ? scenario.state : 'active'));
    expect(new Set(states)).toEqual(new Set(jobStates));
  });

  it.each([undefined, '', 'REQ-42', 'sandboxing'])('a company_job_id %j without the prefix publishes', async (id) => {
    const draft = { jobId: '1', fields: id === undefined ? {} : { company_job_id: id } };
    expect(await networks.PNET.publish(ok, draft, publishing(), never)).toEqual({ kind: 'published', state: 'active' });
  });

  it.each(['sandbox:', 'sandbox:nonsense', 'sandbox:toString'])(
    'an unknown scenario %j fails with the list of scenarios',
    async (id) => {
      const draft = { jobId: '1', fields: { company_job_id: id } };
      const attempt = networks.PNET.publish(ok, draft, publishing(), never);
      await expect(attempt).rejects.toMatchObject({
        errorName: 'invalid_parameters',
        detail: expect.stringContaining('email-then-otp'),
        issues: [{ path: ['company_job_id'] }],
      });
      // EDIT answers no 400.
      expect(await failure(networks.PNET.editPosting(ok, draft, never))).toBe('unprocessable_entity');
    },
  );

  it('fails in the modes that the scenario names', async () => {
    expect(await failure(publish('not-free'))).toBe('invalid_parameters');
    expect(await failure(publish('not-free', publishing('PROMOTED')))).toBe('none');
    expect(await failure(publish('not-free', publishing('PROMOTED_PLUS')))).toBe('none');
    for (const [name, error] of Object.entries(promotedOnly) as [JobScenarioName, ErrorName][]) {
      expect(await failure(publish(name))).toBe('none');
      expect(await failure(publish(name, publishing('PROMOTED')))).toBe(error);
      expect(await failure(publish(name, publishing('PROMOTED_PLUS')))).toBe(error);
    }
    for (const [name, error] of Object.entries(failing) as [JobScenarioName, ErrorName][]) {
      for (const mode of ['FREE', 'PROMOTED', 'PROMOTED_PLUS'] as const) {
        expect(await failure(publish(name, publishing(mode)))).toBe(error);
      }
    }
  });

  it('walks through the checkpoints of a scenario', async () => {
    expect(await walk('otp')).toEqual(['OTP', 'active']);
    expect(await walk('otp-review')).toEqual(['OTP', 'review']);
    expect(await walk('email')).toEqual(['EMAIL_VERIFICATION', 'active']);
    expect(await walk('email-then-otp')).toEqual(['EMAIL_VERIFICATION', 'OTP', 'active']);
    expect(await walk('otp-then-email')).toEqual(['OTP', 'EMAIL_VERIFICATION', 'active']);
    expect(await walk('otp-twice')).toEqual(['OTP', 'OTP', 'active']);
  });

  it('skips e-mail verification, and nothing else, if it is bypassed', async () => {
    expect(await walk('email', true)).toEqual(['active']);
    expect(await walk('email-then-otp', true)).toEqual(['OTP', 'active']);
    expect(await walk('otp-then-email', true)).toEqual(['OTP', 'active']);
    expect(await walk('otp', true)).toEqual(['OTP', 'active']);
  });
});

describe('editing', () => {
  const failing: Partial<Record<JobScenarioName, ErrorName>> = {
    'edit-unprocessable': 'unprocessable_entity',
    'edit-not-allowed': 'action_already_performed',
    'edit-configuration': 'account_configuration_error',
    'edit-provider-error': 'provider_error',
    'edit-timeout': 'request_timeout',
  };

  it.each(jobScenarioNames)('%s fails only if it is an editing scenario', async (name) => {
    const posting = { jobId: '1', fields: { company_job_id: companyJobId(name) } };
    expect(await failure(networks.PNET.editPosting(ok, posting, never))).toBe(failing[name] ?? 'none');
    if (failing[name]) expect(await failure(publish(name))).toBe('none');
  });
});
