import { describe, expect, test } from 'vitest';
import { jobEndpoints, jobVocabularies } from '../../src/capabilities/jobs/endpoints.ts';
import { postEndpoints, postVocabularies } from '../../src/capabilities/posts/endpoints.ts';
import { webhookEndpoints, webhookVocabularies } from '../../src/capabilities/webhooks/endpoints.ts';
import type { ContractEndpoint } from '../../src/kernel/endpoint.ts';
import { endpoints, prefixes } from '../../src/rest/endpoints.ts';
import { commonVocabularies, createTranslator, type TermMap } from '../../src/upstream/translation.ts';

const vocabularies = { ...commonVocabularies, ...jobVocabularies, ...postVocabularies, ...webhookVocabularies };
const translate = (terms: TermMap, endpoint: ContractEndpoint) => createTranslator(terms, vocabularies)(endpoint);

describe('paths', () => {
  test('are the contract’s without a map', () => {
    const { path } = translate({}, jobEndpoints.publish);
    expect(path({ draft_id: '7' })).toBe('/v1/pnet/jobs/7/publish');
  });

  test('have the upstream’s segments, and parameters that are not translated', () => {
    const { path } = translate({ path_segments: { v1: 'v9', pnet: 'acme/hiring', jobs: 'ads' } }, jobEndpoints.edit);
    expect(path({ job_id: 'jobs' })).toBe('/v9/acme/hiring/ads/jobs');
  });

  test('encode parameters', () => {
    const { path } = translate({}, webhookEndpoints.delete);
    expect(path({ id: 'a b&c=ü' })).toBe('/v1/webhooks/a%20b%26c%3D%C3%BC');
  });

  test.each(['', '.', '..', 'a/b', 'a\\b', 'a%2Fb', 'a?b', 'a#b', '..;', '\n', '\ud800', undefined, 7])(
    'cannot hold %o',
    (id) => {
      expect(translate({}, webhookEndpoints.delete).path({ id })).toBeUndefined();
    },
  );
});

describe('bodies', () => {
  const terms = {
    workplaces: { ON_SITE: 'office' },
    answer_types: { numeric: 'number' },
    attachment_types: { img: 'picture' },
    providers: { PNET: 'PHOTONET', PHOTONET: 'PNET' },
  };

  test('are encoded in a copy', () => {
    const body = {
      workplace: 'ON_SITE',
      description: 'ON_SITE',
      screening_questions: [{ answer_type: 'numeric' }, { answer_type: 'multiple_choices' }, null],
    };
    const original = structuredClone(body);
    expect(translate(terms, jobEndpoints.edit).body({ ...body, job_id: '1' })).toEqual({
      workplace: 'office',
      description: 'ON_SITE',
      screening_questions: [{ answer_type: 'number' }, { answer_type: 'multiple_choices' }, null],
    });
    expect(body).toEqual(original);
  });

  test('are the request without the parameters of its path', () => {
    const request = { job_id: '1', workplace: 'ON_SITE' };
    expect(translate({}, jobEndpoints.edit).body(request)).toEqual({ workplace: 'ON_SITE' });
  });

  test('are decoded in place; terms may change places', () => {
    const post = (provider: unknown, type: string) => ({ provider, attachments: [{ type }] });
    const list = { items: [post('PNET', 'picture'), post('PHOTONET', 'video'), post('NEW', 'hologram'), post(7, '')] };
    translate(terms, postEndpoints.list).decode?.(list);
    expect(list.items).toEqual([post('PHOTONET', 'img'), post('PNET', 'video'), post('NEW', 'hologram'), post(7, '')]);
  });

  test.each([{}, { items: null }, { items: 'x' }, { items: { 0: { provider: 'PNET' } } }, { items: [null, 'x', []] }])(
    'of an unexpected shape stay as they are: %o',
    (odd) => {
      const original = structuredClone(odd);
      translate(terms, postEndpoints.list).decode?.(odd);
      expect(odd).toEqual(original);
    },
  );
});

test('error types are decoded, and unknown ones have no name', () => {
  const { errorName } = translate({ errors: { resource_not_found: 'gone' } }, jobEndpoints.edit);
  expect(errorName('errors/gone')).toBe('resource_not_found');
  expect(errorName('errors/payment_error')).toBe('payment_error');
  for (const type of ['errors/teapot', 'errors/toString', 'gone', '']) expect(errorName(type)).toBeUndefined();
});

describe('a map', () => {
  test.each<[string, TermMap, string]>([
    ['with an unknown vocabulary', { colours: {} }, 'has no vocabulary "colours"; known vocabularies: account_types, '],
    ['with one out of the prototype', { toString: {} }, 'has no vocabulary "toString"'],
    ['with an unknown term', { providers: { ACME: 'x' } }, 'has no term "ACME" in "providers"; known terms: PNET, '],
    [
      'that spells two terms alike',
      { providers: { PNET: 'PHOTONET' } },
      'spells two terms of "providers" as "PHOTONET"',
    ],
    ['with a path segment that cannot be one', { path_segments: { pnet: 'x?' } }, 'cannot stand in a path'],
    ['with a path segment that leads elsewhere', { path_segments: { pnet: '../x' } }, 'cannot stand in a path'],
  ])('%s is refused', (_what, terms, message) => {
    expect(() => createTranslator(terms, vocabularies)).toThrow(message);
  });
});

describe('the vocabularies', () => {
  test('have every path segment of the contract, and no other', () => {
    const segments = endpoints.flatMap(({ path }) => path.split('/').filter((each) => /^\w+$/.test(each)));
    expect(new Set(commonVocabularies.path_segments)).toEqual(new Set([prefixes[0].slice(1), ...segments]));
  });

  test('have the objects of every response', () => {
    expect([...jobVocabularies.job_objects].sort()).toEqual([
      'PnetJobPostingEdited',
      'PnetJobPostingPublishCheckpoint',
      'PnetJobPostingPublished',
    ]);
    expect([...postVocabularies.post_objects].sort()).toEqual(['Post', 'PostList']);
    expect([...webhookVocabularies.webhook_objects].sort()).toEqual([
      'Webhook',
      'WebhookCreated',
      'WebhookDeleted',
      'WebhookList',
    ]);
    expect([...jobVocabularies.answer_types].sort()).toEqual(['multiple_choices', 'numeric']);
    expect([...jobVocabularies.apply_methods].sort()).toEqual(['external', 'pnet']);
  });
});
