/**
 * How often a service carries out what was asked for once: every command of the contract, on both faces, after every way
 * in which a service can fail. The service counts, and carries out whatever it receives.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import { type ErrorName, errorNames, errorTable } from '../../src/kernel/errors.ts';
import { endpoints } from '../../src/rest/endpoints.ts';
import { breakerRules } from '../../src/upstream/circuits.ts';
import { seeded } from '../support/backends.ts';
import { breakOff, healthy } from '../support/faults.ts';
import { startGateway } from '../support/gateway.ts';
import { fieldOperations } from '../support/operations.ts';
import { callEndpoint, type FlatRequest, rest } from '../support/rest.ts';
import { servedPart } from '../support/served-part.ts';
import { envelope, json, proxyTo, type Respond, startStub } from '../support/stub.ts';

const commands = endpoints.filter(({ method }) => method !== 'GET');
const named = { accountId: 'a', draftId: '7', webhookId: 'w', triggerId: 't', deliveryId: 'd' };
const requestTo: Readonly<Record<string, readonly [FlatRequest, mutation: string]>> = {
  EDIT: [{ job_id: '7', account_id: 'a' }, 'editJob'],
  PUB: [{ draft_id: '7', account_id: 'a', mode: 'FREE' }, 'publishJob'],
  CHK: [{ draft_id: '7', account_id: 'a', input: '1' }, 'solveJobCheckpoint'],
  WHCREATE: [{ source: 'users', request_url: 'https://hooks.example/in' }, 'createWebhook'],
  WHDEL: [{ id: 'w' }, 'deleteWebhook'],
};

const page =
  (status: number): Respond =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');

/** Failures after which nobody knows what the service has done. */
const failures: Readonly<Record<string, Respond>> = {
  'breaks the connection before it responds': (_request, response) => response.destroy(),
  'breaks the connection in the middle of its response': breakOff,
  'does not respond': () => {},
  'responds with nonsense': (_request, response) => json(response, 200, '{"object":'),
  'responds with another object': (_request, response) => json(response, 200, { object: 'PostList' }),
  'responds with too much': (_request, response) => json(response, 200, { object: 'x'.repeat(20_000) }),
  'does not speak HTTP': (_request, response) => void response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'),
  redirects: (_request, response) => void response.writeHead(302, { location: '/' }).end(),
  ...Object.fromEntries([500, 502, 503, 504].map((status) => [`is behind a proxy that says ${status}`, page(status)])),
  ...Object.fromEntries(
    errorNames
      .filter((name) => errorTable[name].outcome === 'unknown')
      .map((name) => [
        `reports ${name}`,
        (_request, response) => json(response, errorTable[name].status, envelope(name, errorTable[name].status)),
      ]),
  ),
};

const environment = { UPSTREAM_TIMEOUT_MS: '400' };

/** A service, and a gateway in proxy mode with keys of its own, or with forwarded keys. */
async function setUp(respond: Respond, mode: Record<string, string> = {}) {
  const stub = await startStub(respond);
  const gateway = await proxyTo(stub, {
    environment: { ...environment, ...mode },
    tuning: { upstream: { maxBytes: 10_000 } },
  });
  let keys = 0;
  const newKey = async () => {
    keys += 1;
    return mode.UPSTREAM_API_KEY === undefined ? `their-key-${keys}` : (await gateway.workspace()).key;
  };
  let key = await newKey();
  /** With another key: its circuits are closed, and nothing has been carried out for it. */
  const beginAnew = async () => {
    key = await newKey();
    stub.respond = respond;
    stub.received.length = 0;
  };
  const carriedOut = () => stub.received.filter(({ method }) => method !== 'GET').length;
  const send = (name: EndpointName, headers: Record<string, string> = {}) =>
    callEndpoint(gateway.address, key, name, requestTo[name]?.[0] ?? {}, headers);
  const mutate = async (name: EndpointName) => {
    const field = requestTo[name]?.[1];
    const operation = fieldOperations.find((each) => each.field === `Mutation.${field}`);
    const document = servedPart('forwarded-keys', operation?.document(named) ?? '') ?? '';
    const { errors } = await gateway.ask(document, {}, key);
    return errors[0];
  };
  return { stub, carriedOut, send, mutate, beginAnew };
}

const keyed = (key = 'once') => ({ 'idempotency-key': key });
const saysThatItIsUnknown = { detail: expect.stringContaining('outcome is unknown') };

test('every command of the contract is tried', () => {
  expect(commands.map(({ name }) => name).sort()).toEqual(Object.keys(requestTo).sort());
});

describe.each(Object.entries(failures))('a service that %s', (_what, respond) => {
  test('is asked once for each command, with and without a key, on both faces', async () => {
    const { send, mutate, carriedOut, beginAnew } = await setUp(respond);
    for (const { name } of commands) {
      await beginAnew();
      expect((await send(name)).body, name).toMatchObject(saysThatItIsUnknown);
      expect(carriedOut(), name).toBe(1);
      expect((await send(name, keyed())).body, name).toMatchObject(saysThatItIsUnknown);
      expect(carriedOut(), name).toBe(2);
      expect((await mutate(name))?.message, name).toContain('outcome is unknown');
      expect(carriedOut(), name).toBe(3);
    }
  });

  test('keeps the key of each command', async () => {
    const { stub, send, carriedOut, beginAnew } = await setUp(respond, { UPSTREAM_API_KEY: 'ours' });
    for (const { name } of commands.filter(({ body }) => body)) {
      await beginAnew();
      const first = await send(name, keyed());
      expect(first.body, name).toMatchObject(saysThatItIsUnknown);
      stub.respond = healthy;
      for (let time = 0; time < 2; time += 1) {
        const again = await send(name, keyed());
        expect({ ...again.body, instance: '' }, name).toEqual({ ...first.body, instance: '' });
        expect(again.headers.get('idempotency-replayed'), name).toBe('true');
      }
      expect(carriedOut(), name).toBe(1);
    }
  });
});

describe('a service that says that nothing happened gives the key back', () => {
  const refusals = errorNames.filter((name) => errorTable[name].outcome === 'nothing');
  test.each(refusals)('with %s', async (name: ErrorName) => {
    const { stub, send, carriedOut } = await setUp(
      (_request, response) => json(response, errorTable[name].status, envelope(name, errorTable[name].status)),
      { UPSTREAM_API_KEY: 'ours' },
    );
    const refused = await send('PUB', keyed());
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.body.detail).not.toContain('unknown');
    stub.respond = healthy;
    expect((await send('PUB', keyed())).status).toBe(200);
    expect(carriedOut()).toBe(2);
  });

  test('an open circuit does, too: the service was not asked', async () => {
    const { stub, send, carriedOut } = await setUp(page(502), { UPSTREAM_API_KEY: 'ours' });
    for (let n = 0; n < breakerRules.minFailures; n += 1) await send('PUB', keyed(`${n}`));
    const asked = carriedOut();
    stub.respond = healthy;
    const refused = await send('PUB', keyed('next'));
    expect(refused).toMatchObject({ status: 503, body: { type: 'errors/service_unavailable' } });
    expect(refused.body.detail).not.toContain('unknown');
    expect(carriedOut()).toBe(asked);
    expect((await send('PUB', keyed('next'))).headers.get('idempotency-replayed')).toBeNull();
  });
});

describe('a proxy whose service is a Postern that stores responses', () => {
  /** @param lost how many responses are lost on their way */
  async function setUpTwo(lost: number, settings: Record<string, string> = {}) {
    const published = vi.fn();
    const behind = await startGateway({
      providers: (all) => ({
        ...all,
        PNET: {
          ...all.PNET,
          publish: (...given) => {
            published();
            return all.PNET.publish(...given);
          },
        },
      }),
    });
    onTestFinished(() => behind.close());
    const workspace = await seeded(behind, behind.address).workspace();
    const accountId = await workspace.account();
    const draftId = await workspace.draft({ accountId });
    let toLose = lost;
    const between = await startStub(async ({ method, path, headers, body }, response) => {
      const { 'x-api-key': key, 'idempotency-key': idempotencyKey } = headers as Record<string, string>;
      const whole = await rest(behind.address, key, method, path, {
        body,
        headers: { 'content-type': 'application/json', ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) },
      });
      toLose -= 1;
      if (toLose >= 0) response.destroy();
      else response.writeHead(whole.status, Object.fromEntries(whole.headers)).end(whole.text);
    });
    const front = await proxyTo(between, { environment: settings });
    const request = { draft_id: draftId, account_id: accountId, mode: 'FREE' };
    const publish = () => callEndpoint(front.address, workspace.key, 'PUB', request, keyed());
    return { between, published, publish };
  }

  const on = { UPSTREAM_IDEMPOTENCY: 'on' };

  test('repeats where it was told that this is safe, and hands the replay on', async () => {
    const { between, published, publish } = await setUpTwo(2, on);
    const response = await publish();
    expect(response).toMatchObject({ status: 200, body: { object: 'PnetJobPostingPublished' } });
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect([between.received.length, published.mock.calls.length]).toEqual([3, 1]);
  });

  test('says that the outcome is unknown when no response arrives', async () => {
    const { between, published, publish } = await setUpTwo(4, on);
    expect((await publish()).body).toMatchObject({ type: 'errors/network_down', ...saysThatItIsUnknown });
    expect([between.received.length, published.mock.calls.length]).toEqual([3, 1]);
  });

  test('says that the outcome is unknown when the service is gone after its response was lost', async () => {
    const { between, publish } = await setUpTwo(1, on);
    const { respond } = between;
    between.respond = async (request, response) => {
      await Promise.all([respond(request, response), between.close()]);
    };
    expect((await publish()).body).toMatchObject(saysThatItIsUnknown);
  });

  test('leaves the repetition to the client where nobody told it, and hands the replay on', async () => {
    const { between, published, publish } = await setUpTwo(1);
    expect((await publish()).body).toMatchObject(saysThatItIsUnknown);
    expect(between.received).toHaveLength(1);
    const again = await publish();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(published).toHaveBeenCalledOnce();
  });
});
