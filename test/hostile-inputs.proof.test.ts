/** No request is so long, and so wrong, that it is looked at for long or answered at length. Derived from the shapes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../src/kernel/errors.ts';
import { endpoints } from '../src/rest/endpoints.ts';
import { type Gateway, startGateway, type TestWorkspace } from './support/gateway.ts';
import { definitionOf, fields, hostile, operations, type Place, placesOf } from './support/hostile-inputs.ts';
import { rest } from './support/rest.ts';

const maxResponseBytes = 16 * 1024;
const cases = ({ kind }: Place) => Object.entries(hostile[kind]);

/** One place of each shape: the variants of a union share most of theirs. */
const distinctPlaces = (shape: Parameters<typeof placesOf>[0]): Place[] => [
  ...new Map([...placesOf(shape)].map((place) => [place.shape, place])).values(),
];

/** No name, key or value is repeated beyond 100 characters, whatever it consists of. */
const echo = /([^ ]|.)\1{100}/su;

/** Counts the rules that run on the entries of a list, or on a text, behind the one of its length. */
function countWork({ shape }: Place, run: () => void): number {
  if (shape === null) throw new Error('Only shapes can be counted in');
  let work = 0;
  const { element } = definitionOf(shape);
  const checks = (shape._zod.def.checks ?? []).filter((check, at) => at > 0 && check._zod.def.check !== 'min_length');
  const counted = [
    ...(element === undefined ? [] : [[element._zod, 'run']]),
    ...checks.map((each) => [each._zod, 'check']),
  ];
  // Zod calls both as methods, so that replacing them is seen.
  const replaced = counted as unknown as [Record<string, (...args: unknown[]) => unknown>, string][];
  const originals = replaced.map(([owner, name]) => owner[name]);
  for (const [index, [owner, name]] of replaced.entries()) {
    owner[name] = (...args) => {
      work += 1;
      return originals[index]?.apply(owner, args);
    };
  }
  try {
    run();
  } finally {
    for (const [index, [owner, name]] of replaced.entries()) owner[name] = originals[index] as () => unknown;
  }
  return work;
}

test('every operation that takes a request is walked through', () => {
  expect(operations.length).toBeGreaterThanOrEqual(20);
  const kinds = operations.flatMap(([, { shape }]) => [...placesOf(shape)].map(({ kind }) => kind));
  expect(kinds.filter((kind) => kind === 'list').length).toBeGreaterThan(40);
});

// By name alone: a test runner that is given shapes prints them.
test.each(operations.map(([name]) => name))('%s', { timeout: 60_000 }, (name) => {
  const [, operation] = operations.find((each) => each[0] === name) ?? [];
  if (operation === undefined) throw new Error(`There is no operation ${name}`);
  const { shape, check } = operation;
  for (const place of distinctPlaces(shape)) {
    for (const [what, value] of cases(place)) {
      let thrown: unknown;
      const work = countWork(place, () => {
        try {
          check(place.with(value));
        } catch (error) {
          thrown = error;
        }
      });
      // Free JSON may be as large as a request; all else is refused.
      if (thrown === undefined && place.name === 'request.data') continue;
      if (!(thrown instanceof ServiceError)) throw new Error(`${what} is not refused: ${thrown}`);
      expect(thrown.issues.length, what).toBeLessThanOrEqual(50);
      expect(Buffer.byteLength(JSON.stringify(thrown.detail)), what).toBeLessThanOrEqual(2_050);
      const told = JSON.stringify([thrown.detail, thrown.message, thrown.issues]);
      expect(Buffer.byteLength(told), what).toBeLessThan(maxResponseBytes);
      expect(told, what).not.toMatch(echo);
      if (place.kind !== 'object') expect(work, what).toBe(0);
    }
  }
});

test('the error says how many more problems there are than it reports', () => {
  const [, create] = operations.find(([name]) => name === 'createWebhook') ?? [];
  const headers = new Array(250).fill({});
  const request = { source: 'users', request_url: 'https://a.example', headers, ['y'.repeat(200)]: 1, z: 2 };
  try {
    create?.check(request);
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.errorName).toBe('missing_parameters');
    expect(error.issues).toHaveLength(50);
    expect(error.moreIssues).toBe(452);
    const [, told, more] = /^(.*); and (\d+) more$/.exec(error.detail ?? '') ?? [];
    expect((told?.split('; ').length ?? 0) + Number(more)).toBe(502);
  }
});

/** Over HTTP one of the two worst of each kind in turn: the shapes have judged all of them above. */
const worst = (place: Place, number: number) => cases(place).slice(number % 2, (number % 2) + 1);

describe('over HTTP', { timeout: 120_000 }, () => {
  let gateway: Gateway;
  let workspace: TestWorkspace;
  beforeAll(async () => {
    gateway = await startGateway({ environment: { LOG_LEVEL: 'silent' } });
    workspace = await gateway.workspace();
  });
  afterAll(() => gateway.close());

  const withBodies = endpoints.filter(({ body }) => body);
  test.each(withBodies.map(({ name }) => name))('%s', async (name) => {
    const endpoint = endpoints.find((each) => each.name === name);
    if (endpoint === undefined) throw new Error(`There is no endpoint ${name}`);
    const ids = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id as string);
    for (const [number, place] of distinctPlaces(endpoint.operation.shape).entries()) {
      if (ids.some((id) => place.name.endsWith(`.${id}`))) continue;
      for (const [what, value] of worst(place, number)) {
        const path = `/v1${endpoint.path.replaceAll(/\{\w+\}/g, '123')}`;
        const answer = await rest(gateway.address, workspace.key, endpoint.method, path, {
          body: place.with(value) as object,
          headers: { 'idempotency-key': 'hostile' },
        });
        const where = `${what} at ${place.name}: ${answer.text.slice(0, 300)}`;
        expect(answer.status, where).toBeGreaterThanOrEqual(400);
        expect(answer.status, where).toBeLessThan(500);
        expect(Buffer.byteLength(answer.text), where).toBeLessThan(maxResponseBytes);
        expect(answer.text, where).not.toMatch(echo);
      }
    }
    expect(await gateway.app.database.selectFrom('idempotent_responses').selectAll().execute()).toEqual([]);
  });

  test.each(fields.map(({ name }) => name))('GraphQL %s', async (name) => {
    const { document = '', places = [] } = fields.find((each) => each.name === name) ?? {};
    for (const [number, place] of places.entries()) {
      for (const [what, value] of worst(place, number)) {
        const response = await fetch(`${gateway.address}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': workspace.key },
          body: JSON.stringify({ query: document, variables: place.with(value) }),
        });
        const text = await response.text();
        const where = `${what} at ${place.name}: ${text.slice(0, 300)}`;
        expect(response.status, where).toBeLessThan(500);
        expect(Buffer.byteLength(text), where).toBeLessThan(maxResponseBytes);
        expect(text, where).not.toMatch(echo);
      }
    }
  });

  test.each([
    ['a field', (name: string) => `{ ${name} }`],
    ['an argument', (name: string) => `{ webhooks(${name}: 1) { __typename } }`],
    ['a text for a number', (name: string) => `{ webhooks(first: "${name} ${name}") { __typename } }`],
    ['a type', (name: string) => `query ($a: ${name}) { __typename }`],
    ['a token', (name: string) => `{ viewer { keyId } "${name}" }`],
    ['a directive', (name: string) => `{ viewer @${name} { keyId } }`],
    ['many fields', () => `{ ${Array.from({ length: 5_000 }, (_, index) => `x${index}`).join(' ')} }`],
  ])('a GraphQL document with %s', async (_what, document) => {
    const response = await fetch(`${gateway.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': workspace.key },
      body: JSON.stringify({ query: document('x'.repeat(400_000)) }),
    });
    const text = await response.text();
    expect(Buffer.byteLength(text), text.slice(0, 300)).toBeLessThan(maxResponseBytes);
    expect(text).not.toMatch(echo);
    expect(JSON.parse(text).errors.length).toBeGreaterThan(0);
  });

  test('a long list of unknown account ids is cut off in the message', async () => {
    const ids = Array.from({ length: 250 }, (_, index) => `${index}`.padStart(21, 'A').concat('A'));
    const answer = await rest(gateway.address, workspace.key, 'POST', '/v1/webhooks', {
      body: { source: 'users', request_url: 'https://a.example', account_ids: ids },
    });
    expect(answer.status).toBe(404);
    expect(answer.body.detail).toMatch(/ and 240 more\.$/);
  });
});
