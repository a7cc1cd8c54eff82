/** Snippets of the pages that need no project of their own: operations, commands, and the check of a signature. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { extendSchema, isEnumType, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { failingAccounts } from '../../src/app/demo.ts';
import { newSecret, secretText } from '../../src/capabilities/webhooks/signing-secret.ts';
import { signatureHeaders } from '../../src/delivery/signature.ts';
import { examples } from '../../src/pages/graphiql/examples.ts';
import { checkpointInputs, postIdentifiers } from '../../src/providers/sandbox/networks.ts';
import { codeBlocks, pages, sectionOf, snippet, snippetFiles } from '../support/docs.ts';
import { documentationUnits, failuresWithoutCode, relayDirectives, unitOf } from '../support/documents.ts';
import { exampleOperation } from '../support/examples.ts';
import { type Gateway, graphql, startGateway } from '../support/gateway.ts';
import { schema } from '../support/schema.ts';
import { curl } from '../support/servers.ts';

let gateway: Gateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ environment: { DEMO: 'on', LOG_LEVEL: 'silent' } });
  key = await readFile(join(gateway.directory, 'demo-key'), 'utf8');
  await mkdir(join(gateway.directory, '.data'));
  await writeFile(join(gateway.directory, '.data/demo-key'), key);
});
afterAll(() => gateway?.close());

const run = async (command: string): Promise<string> => {
  const here = command.replaceAll('http://127.0.0.1:4000', gateway.address);
  return (await promisify(execFile)('sh', ['-c', here], { cwd: gateway.directory })).stdout;
};

describe('operations', () => {
  const withRelay = extendSchema(schema, parse(relayDirectives));

  const webhooks = codeBlocks(sectionOf('Webhooks'), 'graphql');
  test.each([...pages.values()].flatMap((page) => codeBlocks(page, 'graphql')))('are valid: %s', (text) => {
    expect(validate(withRelay, parse(text))).toEqual([]);
  });

  test('failures are told apart by their code, in GraphiQL, too', async () => {
    expect(failuresWithoutCode(parse('{ a { ... on ServiceError { message status } } }').definitions)).toHaveLength(1);
    const ofGraphiQL = examples.map(async (example) => unitOf(example.name, [await exampleOperation(example)]));
    for (const { name, definitions } of [...documentationUnits(), ...(await Promise.all(ofGraphiQL))])
      expect(failuresWithoutCode(definitions), name).toEqual([]);
  });

  test('a webhook is created, its secret is read once, and it gets an event', async () => {
    const run = async (operationName: string, variables: object) => {
      const body = JSON.stringify({ query: webhooks.find((each) => each.includes(` ${operationName}(`)), variables });
      const headers = { 'x-api-key': key.trim(), 'content-type': 'application/json' };
      const response = await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body });
      return (await response.json()).data;
    };
    const { createWebhook } = await run('Create', { requestUrl: 'https://hooks.example/in' });
    const { webhookId } = createWebhook;
    expect(createWebhook).toEqual({ __typename: 'WebhookCreated', webhookId: expect.any(String) });
    const { revealWebhookSecret } = await run('Reveal', { webhookId });
    expect(revealWebhookSecret).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    expect((await run('Reveal', { webhookId })).revealWebhookSecret).toMatchObject({
      code: 'ACTION_ALREADY_PERFORMED',
    });
    const { emitEvent } = await run('Emit', { accountId: 'pnet-----------------A', idempotencyKey: 'once' });
    expect(emitEvent).toMatchObject({ isRepeated: false, deliveries: expect.arrayContaining([expect.anything()]) });
    const private_ = await run('Create', { requestUrl: 'http://127.0.0.1:9999/' });
    expect(private_.createWebhook).toMatchObject({ code: 'INVALID_URL' });
  });

  test('the refusal of an operation that costs too much is as shown', async () => {
    const section = sectionOf('Operation cost');
    const shown = JSON.parse(codeBlocks(section, 'json')[0] ?? '');
    const [, expensive = '', cheap = '', cost] =
      /`(\{ accounts [^`]+)`.* `(webhooks\(.*?\))` it costs ([\d,]+):/s.exec(section) ?? [];
    const ask = async (query: string) => {
      const headers = { 'x-api-key': key.trim(), 'content-type': 'application/json', 'graphql-cost': 'report' };
      const body = JSON.stringify({ query });
      return (await fetch(`${gateway.address}/graphql`, { method: 'POST', headers, body })).json();
    };
    const refusal = await ask(expensive);
    shown.errors[0].extensions.requestId = refusal.errors[0].extensions.requestId;
    expect(refusal).toEqual(shown);
    const { extensions } = await ask(expensive.replace('webhooks', cheap));
    expect(extensions.cost.requestedCost.toLocaleString('en')).toBe(cost);
  });

  test('the feed has posts of both networks', async () => {
    const [feed = ''] = codeBlocks(sectionOf('Schema'), 'graphql');
    const accounts = { pnet: 'pnet-----------------A', photonet: 'photonet-------------A' };
    const { data, errors } = await graphql(gateway.address, key.trim(), feed, accounts);
    expect(errors).toEqual([]);
    const post = { id: expect.any(String), author: { name: expect.any(String) } };
    expect(data.colleagues.nodes[0]).toMatchObject({ ...post, repostCount: expect.any(Number) });
    expect(data.photos.nodes[0]).toMatchObject({ ...post, previewImage: { url: expect.any(String) } });
  });
});

describe('the page of the schema', () => {
  const section = sectionOf('Schema');

  test('names the enums that have UNRECOGNIZED, and no others', () => {
    const [, sentence = ''] = /is `UNRECOGNIZED` in these enums: ([^.]*)\./.exec(section) ?? [];
    const enums = Object.values(schema.getTypeMap()).filter(isEnumType);
    const tolerant = enums.filter((type) => type.getValue('UNRECOGNIZED') !== undefined).map(({ name }) => name);
    expect([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(tolerant.sort());
  });
});

describe('the demo workspace', () => {
  test('lists the accounts that can be tried first, and those that fail last', async () => {
    const { data } = await graphql(gateway.address, key.trim(), '{ accounts(first: 250) { nodes { accountId } } }');
    const ids: string[] = data.accounts.nodes.map(({ accountId }: { accountId: string }) => accountId);
    expect(ids.slice(0, 2)).toEqual(['pnet-----------------A', 'photonet-------------A']);
    expect(ids.slice(-failingAccounts.length)).toEqual(failingAccounts.map(({ id }) => id));
  });

  test('has a draft for each recipe that publishes one: no other recipe finds it published', () => {
    const published =
      /(?:Job\w*\(input: \{[^}]*jobId: "|draft = "|draftId = ')(\d+)|jobs\/(\d+)\/(?:publish|checkpoint)/g;
    const ofPages = [...pages].map(([path, page]) => ({ name: path, texts: [page] }));
    const ofGraphiQL = examples
      .filter(({ name }) => name.startsWith('Publish'))
      .map(({ name, variables }) => ({
        name,
        texts: [JSON.stringify(variables).replaceAll('"jobId":', 'draft = ')],
      }));
    const names = new Map<string, string>();
    for (const { name, texts } of [...ofPages, ...ofGraphiQL])
      for (const [, ...ids] of texts.join().matchAll(published)) {
        const id = ids.find((each) => each !== undefined) ?? '';
        expect(names.get(id) ?? name, id).toBe(name);
        names.set(id, name);
      }
    expect(names.size).toBeGreaterThan(5);
  });

  test('has everything that the README suggests to try', async () => {
    const jobs = await gateway.app.database.selectFrom('jobs').select('id').execute();
    const accounts = await gateway.app.database.selectFrom('accounts').select('id').execute();
    const there = new Set([
      ...[...accounts, ...jobs].map(({ id }) => id),
      ...Object.values(postIdentifiers).flatMap((identifiers) => Object.keys(identifiers)),
      ...Object.values(checkpointInputs).flatMap((inputs) => Object.keys(inputs)),
      'isCompany: true',
    ]);
    const rows = sectionOf('Sandbox ids')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const named = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(named).toContain('1007');
    expect(named.filter((name = '') => !there.has(name))).toEqual([]);
  });
});

test('a command that waits for a server gives up after half a minute', () => {
  const blocks = [...pages.values()].flatMap((page) => codeBlocks(page, 'sh'));
  const waiting = blocks.flatMap((text) => text.split('\n')).filter((line) => line.includes(' --retry '));
  expect(waiting.length).toBeGreaterThan(2);
  // Without a delay of its own curl doubles it each time.
  for (const line of waiting) expect(line).toMatch(/--retry 30 .*--retry-delay 1 /);
});

test('the commands of a project of the reader set the key', () => {
  const blocks = [...pages.values()].flatMap((page) => codeBlocks(page, 'sh'));
  const projects = blocks.filter((text) => /^npm (?:init|create) /m.test(text));
  expect(projects.length).toBeGreaterThan(2);
  for (const text of projects) expect(text).toMatch(/^export .*POSTERN_KEY=/m);
});

describe.skipIf(curl === undefined)('commands', () => {
  test('the first query has the response that is shown', async () => {
    const shown = snippet('A first query', 'json').trim();
    expect(await run(snippet('A first query', 'sh'))).toBe(shown);
  });

  test('a draft is published as shown, in GraphiQL', async () => {
    const { data, errors } = await graphql(
      gateway.address,
      key.trim(),
      snippet('Publish with a checkpoint', 'graphql'),
    );
    expect(errors).toEqual([]);
    expect({ data }).toEqual(JSON.parse(snippet('Publish with a checkpoint', 'json')));
    const feed = await graphql(gateway.address, key.trim(), snippet('A feed', 'graphql'));
    expect(feed.errors).toEqual([]);
    expect(feed.data).toMatchObject({ colleagues: { nodes: { length: 5 } }, photos: { nodes: { length: 5 } } });
  });

  test('the schema is downloaded once, and again only when it has changed', async () => {
    const command = snippet('Download the schema', 'sh');
    const file = join(gateway.directory, 'gateway.graphql');
    await run(command);
    expect(await readFile(file, 'utf8')).toBe(await readFile('schema.graphql', 'utf8'));
    await writeFile(file, 'kept');
    await run(command);
    expect(await readFile(file, 'utf8')).toBe('kept');
  });
});

describe('the check of a signature', () => {
  const { 'receive.ts': text = '' } = snippetFiles('Verify a signature');
  const [secret, other] = [newSecret(randomBytes), newSecret(randomBytes)];
  const body = Buffer.from('{"event":"new_relation","text":"ümlaut"}');
  const request = (now: number, sent = body) => {
    const headers = new Headers();
    const list = signatureHeaders({ id: 'msg', now, body }, [other, secret]);
    for (let at = 0; at < list.length; at += 2) headers.set(list[at] ?? '', list[at + 1] ?? '');
    return new Request('https://receiver.example', { method: 'POST', headers, body: sent });
  };
  let receive: (request: Request, secret: string) => Promise<Response>;
  beforeAll(async () => {
    await mkdir(join(gateway.directory, 'node_modules'));
    await symlink(join(import.meta.dirname, '../..'), join(gateway.directory, 'node_modules/postern'));
    const file = join(gateway.directory, 'receive.ts');
    await writeFile(file, text);
    ({ receive } = await import(pathToFileURL(file).href));
  });

  test('accepts what the gateway signed, and nothing else', async () => {
    const said = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => said.mockRestore());
    const answer = async (one: Request, with_ = secret) => {
      const response = await receive(one, secretText(with_));
      return [response.status, await response.text()];
    };
    const now = Date.now();
    expect(await answer(request(now))).toEqual([200, '']);
    expect(await answer(request(now), other)).toEqual([200, '']);
    expect(said).toHaveBeenCalledWith('msg', 'new_relation');
    expect(await answer(request(now), newSecret(randomBytes))).toEqual([400, 'WRONG_SIGNATURE']);
    expect(await answer(request(now, Buffer.from(`${body} `)))).toEqual([400, 'WRONG_SIGNATURE']);
    expect(await answer(request(now - 301_000))).toEqual([400, 'WRONG_TIME']);
    expect(await answer(new Request('https://receiver.example'))).toEqual([400, 'MISSING_HEADER']);
  });
});
