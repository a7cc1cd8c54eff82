/** Forward proxies between the gateway and the service, receivers and a collector. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { addressRule } from '../../src/net/addresses.ts';
import { createOutbound } from '../../src/net/outbound.ts';
import { type ProxySettings, proxyFor, readExceptions } from '../../src/net/proxies.ts';
import { openTelemetry } from '../../src/telemetry/open.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { listPosts, pnetPost, postList, proxyTo } from '../support/stub.ts';
import { startRawServer, unaskedResponses } from '../support/unasked-responses.ts';

const publish =
  'mutation { publishJob(input: { accountId: "a1", jobId: "7", mode: FREE }) { ... on PnetJobPostingPublished { jobId } } }';
const page = JSON.stringify(postList([pnetPost('1')]));
const read = { posts: { nodes: [{ providerId: '1' }] } };
const portOf = (url: string): string => new URL(url).port;

let trusted: { readonly key: string; readonly cert: string };
let before: string[];
beforeAll(() => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-proxies-'));
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const names = 'subjectAltName=DNS:service.internal,DNS:hooks.example';
  const asked = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=service.internal'];
  execFileSync('openssl', [...asked, '-addext', names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  trusted = { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') };
  before = getCACertificates('default');
  setDefaultCACertificates([...before, trusted.cert]);
});
afterAll(() => setDefaultCACertificates(before));

/** Sends an interim response before each, and says in `seen` what it was asked for. */
async function startSecureServer(): Promise<{ readonly port: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createSecureServer(trusted, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    response.writeContinue();
    request.resume().on('end', () => response.end(page));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: String((server.address() as { port: number }).port), seen };
}

describe('the service behind a proxy', () => {
  test.each([['HTTP_PROXY'], ['http_proxy']])('is asked with its whole URL, as %s says', async (name) => {
    const proxy = await startForwardProxy();
    const { segments } = unaskedResponses['100 in a segment of its own'] ?? { segments: () => [] };
    const service = await startRawServer(() => ({ segments: segments(Buffer.from(page)) }));
    const url = `http://service.internal:${portOf(service.url)}`;
    const gateway = await proxyTo({ url }, { environment: { [name]: proxy.url } });
    for (let n = 0; n < 3; n += 1) expect((await gateway.ask(listPosts)).data).toMatchObject(read);
    expect(proxy.seen.at(-1)).toMatch(new RegExp(`^GET ${url}/v1/users/`));
    expect(service.received.at(-1)).toMatch(/^GET \/v1\/users\//);
    expect(service.received.join('')).not.toMatch(/proxy-authorization/i);
    expect(JSON.stringify(gateway.log)).not.toContain('se%20cret');
  });

  test('is asked through a tunnel if its URL has https', async () => {
    const proxy = await startForwardProxy();
    const service = await startSecureServer();
    const url = `https://service.internal:${service.port}`;
    const gateway = await proxyTo(
      { url },
      { environment: { HTTPS_PROXY: proxy.url, HTTP_PROXY: 'http://127.0.0.1:1' } },
    );
    for (let n = 0; n < 3; n += 1) expect((await gateway.ask(listPosts)).data).toMatchObject(read);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT service.internal:${service.port}`]));
    expect(service.seen.at(-1)).toMatch(/^GET \/v1\/users\/\S+$/);
    // A connection is used again: beside those of the start, there is one.
    const tunnels = proxy.seen.length;
    await gateway.ask(listPosts);
    expect(proxy.seen).toHaveLength(tunnels);
  });

  test('got nothing if the proxy refuses the tunnel', async () => {
    const proxy = await startForwardProxy();
    proxy.refuses = true;
    const service = await startSecureServer();
    const environment = { https_proxy: proxy.url };
    const gateway = await proxyTo({ url: `https://service.internal:${service.port}` }, { environment });
    const { errors } = await gateway.ask(publish);
    expect(errors[0]?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(errors[0]?.message).not.toContain('The outcome is unknown');
    expect(service.seen).toEqual([]);
  });

  test('is reached directly if NO_PROXY has its host', async () => {
    const proxy = await startForwardProxy();
    const service = await startRawServer(() => ({
      segments: [unaskedResponses['nothing unasked']?.segments(Buffer.from(page))[0] ?? ''],
    }));
    const gateway = await proxyTo(service, {
      environment: { HTTP_PROXY: proxy.url, NO_PROXY: 'localhost,127.0.0.0/8' },
    });
    expect((await gateway.ask(listPosts)).data).toMatchObject(read);
    expect(proxy.seen).toEqual([]);
  });
});

describe('a receiver behind a proxy', () => {
  const open = (proxies: ProxySettings | undefined) => {
    const outbound = createOutbound({
      allows: addressRule([]),
      lookup: Object.assign(async () => [], { local: () => undefined }),
      connectTimeoutMs: 2_000,
      proxies,
    });
    onTestFinished(() => outbound.close());
    return (url: string) =>
      outbound.post({
        url: new URL(url),
        headers: ['x-test', 'yes'],
        body: Buffer.from('an event'),
        deadlineMs: 2_000,
      });
  };
  const settings = ({ url }: Pick<ForwardProxy, 'url'>): ProxySettings => ({
    http: new URL(url),
    https: new URL(url),
    except: readExceptions(''),
  });

  test('gets deliveries, and their responses are read', async () => {
    const proxy = await startForwardProxy();
    const post = open(settings(proxy));
    const { segments } = unaskedResponses['100 in one segment with the response'] ?? { segments: () => [] };
    const plain = await startRawServer(() => ({ segments: segments(Buffer.from('thanks')) }));
    const secure = await startSecureServer();
    for (let n = 0; n < 2; n += 1) {
      expect(await post(`http://hooks.example:${portOf(plain.url)}/in?a=1`)).toMatchObject({
        status: 200,
        failure: null,
      });
      expect(await post(`https://hooks.example:${secure.port}/in`)).toMatchObject({ status: 200, failure: null });
    }
    expect(plain.received).toHaveLength(2);
    expect(plain.received[0]).toMatch(/^POST \/in\?a=1 HTTP\/1\.1\r\n(?:.*\r\n)*x-test: yes/);
    expect(secure.seen).toEqual(['POST /in', 'POST /in']);
  });

  test.each([
    'http://127.0.0.1/',
    'http://169.254.169.254/latest',
    'https://[::1]/',
    'http://localhost/',
    'http://[64:ff9b::a00:1]/',
  ])('%s is refused before the proxy is asked', async (url) => {
    const proxy = await startForwardProxy();
    const outbound = createOutbound({
      allows: addressRule([]),
      lookup: async () => [],
      connectTimeoutMs: 2_000,
      proxies: settings(proxy),
    });
    onTestFinished(() => outbound.close());
    const request = { url: new URL(url), headers: [], body: Buffer.from('x'), deadlineMs: 2_000 };
    expect(await outbound.post(request)).toMatchObject({ failure: 'address_refused' });
    expect(proxy.seen).toEqual([]);
  });

  test('is not reached if the proxy refuses, or is away', async () => {
    const proxy = await startForwardProxy();
    proxy.refuses = true;
    const post = open(settings(proxy));
    expect(await post('https://hooks.example/')).toMatchObject({ status: null, failure: 'connection_failed' });
    expect(await post('http://hooks.example/')).toMatchObject({ status: 407 });
    const away = open(settings({ url: 'http://127.0.0.1:1' }));
    for (const scheme of ['http', 'https'])
      expect(await away(`${scheme}://hooks.example/`)).toMatchObject({ status: null, failure: 'connection_failed' });
  });

  test('gets none through it unless OUTBOUND_PROXY says so', () => {
    const environment = { HTTP_PROXY: 'http://proxy.internal:3128' };
    expect(readConfig(environment).outboundProxies).toBeUndefined();
    const { outboundProxies } = readConfig({ ...environment, OUTBOUND_PROXY: 'on' });
    expect(outboundProxies && proxyFor(outboundProxies, 'http://hooks.example')?.href).toBe(
      'http://proxy.internal:3128/',
    );
  });
});

test('telemetry goes through a proxy', async () => {
  const proxy = await startForwardProxy();
  const receiver = await startOtlpReceiver();
  const url = `http://collector.internal:${portOf(receiver.url)}`;
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: url, HTTP_PROXY: proxy.url };
  const telemetry = await openTelemetry(readConfig(environment).telemetry, () => undefined);
  telemetry.tracer?.start('a span').end();
  await telemetry.close();
  expect(proxy.seen).toContain(`POST ${url}/v1/traces`);
  expect(proxy.seen).toContain(`POST ${url}/v1/metrics`);
});

/** As other programs read them. */
const exceptions: readonly [value: string, url: string, isDirect: boolean][] = [
  ['', 'http://a.example', false],
  ['*', 'http://a.example', true],
  ['a.example', 'http://a.example', true],
  ['A.example', 'http://a.EXAMPLE.', true],
  ['a.example', 'http://b.a.example', true],
  ['a.example', 'http://ba.example', false],
  ['.a.example', 'http://a.example', true],
  ['.a.example', 'http://b.a.example', true],
  ['*.a.example', 'http://b.a.example', true],
  ['*.a.example', 'http://a.example', false],
  ['x, a.example', 'http://a.example', true],
  ['x a.example', 'https://a.example', true],
  ['a.example:8080', 'http://a.example:8080', true],
  ['a.example:8080', 'http://a.example', false],
  ['a.example:443', 'https://a.example', true],
  ['10.0.0.0/8', 'http://10.1.2.3', true],
  ['10.0.0.0/8', 'http://11.1.2.3', false],
  ['10.0.0.0/8', 'http://10.example', false],
  ['10.1.2.3', 'http://10.1.2.3:81', true],
  ['::1', 'http://[::1]', true],
  ['[::1]:8080', 'http://[::1]:8080', true],
  ['[::1]:8080', 'http://[::1]', false],
  ['fd00::/8', 'http://[fd00::1]', true],
];

test.each(exceptions)('NO_PROXY=%s: %s is reached directly: %s', (value, url, isDirect) => {
  const proxy = new URL('http://proxy.internal');
  const settings = { http: proxy, https: proxy, except: readExceptions(value) };
  expect(proxyFor(settings, url)).toBe(isDirect ? undefined : proxy);
});

test.each([
  [{ HTTP_PROXY: 'proxy.internal:3128' }, 'http://proxy.internal:3128/'],
  [{ http_proxy: 'http://small.internal:1', HTTP_PROXY: 'http://large.internal:1' }, 'http://small.internal:1/'],
  [{ https_proxy: 'http://proxy.internal', ftp_proxy: 'x', ALL_PROXY: 'y' }, undefined],
])('%j', (environment, expected) => {
  const { outboundProxies } = readConfig({ ...environment, OUTBOUND_PROXY: 'on' });
  expect(outboundProxies?.http?.href).toBe(expected);
});

test('a value that is no proxy is refused without its password', () => {
  const environment = { HTTP_PROXY: 'socks5://u:pass-of-the-proxy@proxy.internal' };
  expect(() => readConfig(environment)).toThrow('HTTP_PROXY must be http://<host>:<port> or https://<host>:<port>');
  expect(() => readConfig(environment)).not.toThrow('pass-of-the-proxy');
});
