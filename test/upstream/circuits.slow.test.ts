/** Whom a failing service, and a failing target, are kept from: through a proxy to a stub. */
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import { type ErrorName, errorNames, errorTable } from '../../src/kernel/errors.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { breakerRules, createCircuits, maxCircuits } from '../../src/upstream/circuits.ts';
import { breakOff, expectRecovered, healthy, posts, times as repeatedly, setUp } from '../support/faults.ts';
import { callEndpoint, type FlatRequest, rest } from '../support/rest.ts';
import { envelope, json, type Respond } from '../support/stub.ts';

const { minFailures } = breakerRules;
/** That a test can wait for, and a busy machine can keep. */
const deadlines = { UPSTREAM_TIMEOUT_MS: '1500' };
type Setup = Awaited<ReturnType<typeof setUp>>;

const fails = (type: string, status: number): Respond => {
  return (_request, response) => json(response, status, envelope(type, status));
};
const hangs: Respond = () => {};
/** A response that is none of the contract. */
const page =
  (status: number): Respond =>
  (_request, response) =>
    void response.writeHead(status).end('<html>');

/** Responds with the fault where the path has the text, and as a healthy service elsewhere. */
const at =
  (part: string, fault: Respond): Respond =>
  (request, response) =>
    (request.path.includes(part) ? fault : healthy)(request, response);

/** The status that a key gets for the posts of somebody: 200, or that of the error. */
async function statusOf({ gateway }: Setup, key: string, of: string): Promise<number> {
  const { errors } = await gateway.ask(posts, { of }, key);
  return errors.length === 0 ? 200 : Number(errors[0]?.extensions.status);
}

/** A request to each endpoint. */
const requests: Readonly<Record<EndpointName, FlatRequest>> = {
  EDIT: { job_id: '7', account_id: 'a' },
  POSTS: { identifier: 'ACo1', account_id: 'a' },
  WHLIST: {},
  WHCREATE: { source: 'users', request_url: 'https://hooks.example/in' },
  WHDEL: { id: 'w' },
  PUB: { draft_id: '7', account_id: 'a', mode: 'FREE' },
  CHK: { draft_id: '7', account_id: 'a', input: '1' },
};

const times = <T>(count: number, make: (n: number) => T) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

describe('a key that asks for what fails', () => {
  test.each<[string, Respond, number]>([
    ['500', page(500), 500],
    ['503', fails('service_unavailable', 503), 503],
    ['504 of a proxy', page(504), 500],
    ['no response', hangs, 504],
  ])('with %s is refused after a while, and no other key is', async (_what, fault, status) => {
    const setup = await setUp(deadlines, at('ACoBad', fault));
    const failing = await times(minFailures, (n) => statusOf(setup, 'theirs', `ACoBad${n}`));
    expect(failing).toContain(status);
    const made = setup.stub.received.length;
    expect(await statusOf(setup, 'theirs', 'ACoBad0')).toBe(503);
    expect(setup.stub.received).toHaveLength(made);
    for (const key of ['a healthy one', 'another']) {
      for (let n = 0; n < 2 * minFailures; n += 1) expect(await statusOf(setup, key, `ACo${n}`)).toBe(200);
    }
    setup.gateway.clock.now = new Date(setup.gateway.clock.now.getTime() + breakerRules.openMs);
    // One that is healthy is enough to find out that the account is.
    expect(await statusOf(setup, 'theirs', 'ACo1')).toBe(200);
    await expectRecovered(setup);
  });

  test('because another gateway limits it still reaches that', async () => {
    const limited: Respond = (_request, response) =>
      json(response, 503, envelope('service_unavailable', 503), {
        ratelimit: '"requests";r=0;t=60',
        'retry-after': '60',
      });
    const setup = await setUp(deadlines, at('ACoBad', limited));
    await times(minFailures, (n) => statusOf(setup, 'theirs', `ACoBad${n}`));
    const made = setup.stub.received.length;
    expect(await statusOf(setup, 'theirs', 'ACoBad0')).toBe(503);
    expect(setup.stub.received).toHaveLength(made + 1);
  });

  test('still gets what does not fail, in any share', async () => {
    const setup = await setUp(deadlines, at('ACoBad', page(500)));
    for (let n = 0; n < 3 * minFailures; n += 1) {
      if (n % 5 === 0) expect(await statusOf(setup, 'theirs', `ACo${n % 2}`)).toBe(200);
      expect(await statusOf(setup, 'theirs', 'ACoBad')).toBe(500);
    }
    await expectRecovered(setup);
  });

  test('still gets its other accounts, and the other capabilities of the account', async () => {
    const setup = await setUp(deadlines, at('account_id=bad', page(500)));
    const { gateway } = setup;
    const ofAccount = (account: string, of: string) =>
      gateway.rest('GET', `/v1/users/${of}/posts?account_id=${account}`).then(({ status }) => status);
    await times(minFailures, (n) => ofAccount('bad', `ACo${n}`));
    expect(await ofAccount('bad', 'ACo1')).toBe(503);
    expect(await ofAccount('good', 'ACo1')).toBe(200);
    const published = await gateway.rest('POST', '/v1/pnet/jobs/7/publish', { account_id: 'bad', mode: 'FREE' });
    expect(published.status).toBe(200);
    await expectRecovered(setup);
  });
});

describe('an error of the contract', () => {
  const types = errorNames.filter((name) => errorTable[name].status >= 500 && name !== 'service_unavailable');

  test.each(types)('errors/%s is returned however often it comes, and harms nobody else', async (name) => {
    const { status } = errorTable[name];
    const setup = await setUp(deadlines, at('=broken', fails(name, status)));
    const { gateway } = setup;
    const posts = (account: string, key: string) =>
      rest(gateway.address, key, 'GET', `/v1/users/ACo1/posts?account_id=${account}`);
    const publish = (account: string, key: string) =>
      rest(gateway.address, key, 'POST', '/v1/pnet/jobs/7/publish', { body: { account_id: account, mode: 'FREE' } });
    for (let n = 0; n < 2 * minFailures; n += 1) {
      expect((await posts('broken', `key-${n % 4}`)).body.type).toBe(`errors/${name}`);
    }
    for (const key of ['key-0', 'a healthy one']) {
      expect((await posts('good', key)).status).toBe(200);
      expect((await publish('broken', key)).status).toBe(200);
    }
    await expectRecovered(setup);
  });

  test('each of them is returned at every endpoint, one after the other with one key', async () => {
    let reported: ErrorName = 'unexpected_error';
    const setup = await setUp(deadlines, (request, response) =>
      fails(reported, errorTable[reported].status)(request, response),
    );
    for (const name of [...types, 'service_unavailable'] as const) {
      reported = name;
      for (const endpoint of endpoints) {
        const { body } = await callEndpoint(setup.gateway.address, 'k', endpoint.name, requests[endpoint.name]);
        expect([endpoint.name, body.type]).toEqual([endpoint.name, `errors/${name}`]);
      }
    }
  });
});

describe('a service that is down', () => {
  test.each<[string, Respond, number]>([
    ['503', fails('service_unavailable', 503), 503],
    ['502 of a proxy', page(502), 502],
    ['no response', hangs, 504],
    ['broken connections', (_request, response) => void response.destroy(), 503],
  ])('with %s is left alone by each key that has met it', async (_what, fault) => {
    const setup = await setUp(deadlines, fault);
    const keys = ['key-0', 'key-1', 'key-2'];
    await Promise.all(keys.map((key) => times(minFailures, (n) => statusOf(setup, key, `ACo${n}`))));
    const made = setup.stub.received.length;
    for (const key of keys) {
      expect(await times(20, (n) => statusOf(setup, key, `ACo${n}`))).toEqual(Array(20).fill(503));
    }
    expect(setup.stub.received).toHaveLength(made);
    setup.gateway.clock.now = new Date(setup.gateway.clock.now.getTime() + breakerRules.openMs);
    await expectRecovered(setup);
  });

  test('says when to try again', async () => {
    const setup = await setUp(deadlines, page(500));
    const ask = (n: number) => setup.gateway.rest('GET', `/v1/users/ACo${n}/posts?account_id=a`);
    await times(minFailures, ask);
    const refused = await ask(0);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test('is called again although most trials are calls that fail', async () => {
    const setup = await setUp(deadlines, fails('service_unavailable', 503));
    await times(minFailures, (n) => statusOf(setup, 'theirs', `ACoBad${n}`));
    setup.stub.respond = at('ACoBad', hangs);
    setup.gateway.clock.now = new Date(setup.gateway.clock.now.getTime() + breakerRules.openMs);
    const [bad, alsoBad, good] = await Promise.all([
      statusOf(setup, 'theirs', 'ACoBad0'),
      statusOf(setup, 'theirs', 'ACoBad1'),
      statusOf(setup, 'theirs', 'ACo1'),
    ]);
    expect([bad, alsoBad, good]).toEqual([504, 504, 200]);
    expect(await statusOf(setup, 'theirs', 'ACo2')).toBe(200);
  });
});

describe('the circuits of a process', () => {
  const origin = (n: number) => ({ keyId: `key-${n}`, accountId: 'a', capability: 'posts', target: '/' });

  test('are counted as they are, whatever has happened to those that are forgotten', () => {
    const circuits = createCircuits(() => 0);
    const permits = Array.from({ length: minFailures }, () => circuits.tryAcquire(origin(0)));
    const late = circuits.tryAcquire(origin(0));
    for (let n = 1; n <= maxCircuits; n += 1) circuits.tryAcquire(origin(n));
    for (const permit of permits) if ('record' in permit) permit.record('failure');
    expect(circuits.open).toBe(0);
    if ('record' in late) late.record('success');
    expect(circuits.open).toBe(0);
    for (let n = 0; n < minFailures; n += 1) {
      const permit = circuits.tryAcquire(origin(maxCircuits));
      if ('record' in permit) permit.record('failure');
    }
    expect(circuits.open).toBe(1);
    for (let n = 1; n <= maxCircuits; n += 1) circuits.tryAcquire(origin(-n));
    expect(circuits.open).toBe(0);
  });

  test('tell without a call whether it would be refused, and take no trial for that', () => {
    const clock = { now: 0 };
    const circuits = createCircuits(() => clock.now);
    for (let n = 0; n < minFailures; n += 1) {
      const permit = circuits.tryAcquire(origin(0));
      if ('record' in permit) permit.record('failure');
    }
    expect(circuits.refusalOf(origin(0))).toEqual({ retryInMs: breakerRules.openMs });
    expect(circuits.refusalOf(origin(1))).toBeNull();
    clock.now += breakerRules.openMs;
    for (let n = 0; n < 10; n += 1) expect(circuits.refusalOf(origin(0))).toBeNull();
    expect(circuits.tryAcquire(origin(0))).toHaveProperty('record');
  });
});

describe('a key whose calls', () => {
  test('hang leaves connections to others', async () => {
    const setup = await setUp({ ...deadlines, UPSTREAM_CONNECTIONS: '8' }, at('ACoBad', hangs));
    const hanging = times(100, (n) => statusOf(setup, 'theirs', `ACoBad${n}`));
    await expect.poll(() => setup.stub.received.length).toBe(6);
    for (let n = 0; n < minFailures; n += 1) expect(await statusOf(setup, 'a healthy one', `ACo${n}`)).toBe(200);
    await hanging;
  });

  test('hang until their clients go is not refused for that', async () => {
    const { stub, gateway } = await setUp({}, at('ACoBad', hangs));
    const gone = new AbortController();
    const left = times(minFailures, (n) =>
      fetch(`${gateway.address}/v1/users/ACoBad${n}/posts?account_id=a`, {
        headers: { 'x-api-key': 'theirs' },
        signal: gone.signal,
      }),
    );
    await expect.poll(() => stub.received.length).toBe(minFailures);
    gone.abort();
    await expect(left).rejects.toThrow('aborted');
    await expect.poll(() => stub.sockets.size).toBe(0);
    expect(await statusOf({ stub, gateway }, 'theirs', 'ACo1')).toBe(200);
  });

  test('hang leave nobody waiting for what is refused', async () => {
    const ofAccount =
      'query ($account: ID!, $of: String!) { posts(accountId: $account, identifier: $of) { nodes { __typename } } }';
    const setup = await setUp({ UPSTREAM_TIMEOUT_MS: '8000', UPSTREAM_CONNECTIONS: '8' }, breakOff);
    const ask = (account: string, of: string) => setup.gateway.ask(ofAccount, { account, of }, 'theirs');
    for (let n = 0; n < minFailures; n += 1) await ask('failing', 'ACo1');
    setup.stub.respond = hangs;
    setup.stub.received.length = 0;
    const hanging = times(10, (n) => ask('hanging', `ACo${n}`));
    await expect.poll(() => setup.stub.received.length).toBe(6);
    const started = performance.now();
    expect((await ask('failing', 'ACo1')).errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
    expect(performance.now() - started).toBeLessThan(4_000);
    await hanging;
  });

  test('fail uses the retries of nobody else', async () => {
    const setup = await setUp(deadlines, at('ACoBad', breakOff));
    for (const key of ['theirs', 'also theirs']) {
      for (let n = 0; n < minFailures; n += 1) await statusOf(setup, key, 'ACoBad');
    }
    setup.stub.respond = repeatedly(2, (_request, response) => json(response, 429, ''));
    expect(await statusOf(setup, 'a healthy one', 'ACo1')).toBe(200);
  });
});
