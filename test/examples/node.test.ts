/** `examples/node`: the client in one file, and the programs that use it, against a gateway that is a process of its own. */
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { snippet } from '../support/docs.ts';
import { again, fileOf, runExample } from './example.ts';
import { type Postern, startPostern } from './postern.ts';

const pnet = 'pnet-----------------A';

let postern: Postern;
let environment: { readonly POSTERN_URL: string; readonly POSTERN_KEY: string };
beforeAll(async () => {
  postern = await startPostern();
  environment = { POSTERN_URL: postern.address, POSTERN_KEY: postern.key };
  await run('generate');
});
afterAll(() => postern?.close());

const run = (script: string, more: Readonly<Record<string, string>> = {}) =>
  runExample('node', script, { ...environment, ...more });

/** The module of a file, in this process. */
async function load(file: string) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return import(fileOf('node', file));
}

async function caught(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

describe('the programs', () => {
  test('are of the types that are generated', async () => {
    expect(await run('typecheck', again)).toBe('');
  });

  test('start prints what the documentation says, and throws what is refused the second time', async () => {
    expect(await run('start', again)).toBe(snippet('Feed, publish, subscribe', ''));
    const refused = String(await caught(() => run('start', again)));
    expect(refused).toContain('PosternError: ');
    expect(refused).toContain("code: 'ACTION_ALREADY_PERFORMED'");
  });

  test('newest merges the posts of two networks', async () => {
    expect((await run('newest', again)).split('\n').length).toBeGreaterThan(5);
  });

  test('generate says why it fails', async () => {
    const noGateway = { POSTERN_URL: 'http://127.0.0.1:1' };
    expect(String(await caught(() => run('generate', noGateway)))).toContain('ECONNREFUSED 127.0.0.1:1');
  });

  test('start says which variable is missing', async () => {
    expect(String(await caught(() => run('start', { POSTERN_KEY: '', ...again })))).toContain('Set POSTERN_KEY');
  });
});

test('the client of urql reads, and throws what failed when it is read', async () => {
  const { client, dataOf } = await load('urql.ts');
  const query = '{ posts(accountId: "mail-----------------A", identifier: "x") { __typename } viewer { name } }';
  const data = dataOf(await client.query(query, {}).toPromise());
  expect(data.viewer).toMatchObject({ name: 'Demo key' });
  expect(() => data.posts).toThrow('Accounts of type MAIL');
});

describe('ask and unwrap', () => {
  test('every failure is a PosternError with its code', async () => {
    const { ask, PosternError, unwrap } = await load('postern.ts');
    const data = await ask(
      parse('{ posts(accountId: "mail-----------------A", identifier: "x") { __typename } viewer { name } }'),
      {},
    );
    expect(data.viewer).toEqual({ name: 'Demo key' });
    const failures = [
      [() => data.posts, 'INVALID_ACCOUNT'],
      [() => ask(parse('{ nothing }'), {}), 'INVALID_PARAMETERS'],
      [() => unwrap({ __typename: 'RequestError', code: 'PAYMENT_ERROR' }), 'PAYMENT_ERROR'],
    ] as const;
    for (const [action, code] of failures) {
      const failure = await caught(action);
      expect(failure).toBeInstanceOf(PosternError);
      expect(failure).toMatchObject({ name: 'PosternError', code, retryAfter: 0, stack: expect.any(String) });
    }
  });

  test('a refusal says when it can be repeated', async () => {
    const { ask } = await load('postern.ts');
    const extensions = { code: 'SERVICE_UNAVAILABLE' };
    const body = { errors: [{ message: 'Too many requests.', extensions }] };
    vi.stubGlobal('fetch', async () => Response.json(body, { status: 503, headers: { 'retry-after': '7' } }));
    onTestFinished(() => void vi.unstubAllGlobals());
    await expect(ask(parse('{ viewer { name } }'), {})).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      retryAfter: 7,
    });
  });

  test('one item that could not be read costs no other', async () => {
    const { ask, readable } = await load('postern.ts');
    const errors = [
      { message: 'An odd post.', path: ['nodes', 1], extensions: { code: 'PROVIDER_ERROR' } },
      { message: 'An odd author.', path: ['nodes', 2, 'author'], extensions: { code: 'PROVIDER_ERROR' } },
    ];
    const nodes = [{ author: { name: 'Ada' } }, null, { author: null }, { author: { name: 'Grace' } }];
    vi.stubGlobal('fetch', async () => Response.json({ data: { nodes }, errors }));
    onTestFinished(() => void vi.unstubAllGlobals());
    const data = await ask(parse('{ nodes { author { name } } }'), {});
    expect(readable(data.nodes, (post: { author: { name: string } }) => post.author.name)).toEqual(['Ada', 'Grace']);
    expect(() => readable([1], () => JSON.parse('{'))).toThrow(SyntaxError);
  });

  test('an error without a path hides no data', async () => {
    const { ask } = await load('postern.ts');
    const errors = [
      { message: 'The network is down.', path: ['posts'], extensions: { code: 'NETWORK_DOWN' } },
      { message: 'There are 7 more errors.', extensions: { code: 'PROVIDER_ERROR' } },
    ];
    vi.stubGlobal('fetch', async () => Response.json({ data: { viewer: { name: 'Ada' }, posts: null }, errors }));
    onTestFinished(() => void vi.unstubAllGlobals());
    const data = await ask(parse('{ viewer { name } posts }'), {});
    expect(data.viewer).toEqual({ name: 'Ada' });
    expect(() => data.posts).toThrow('The network is down.');
  });
});

describe('watch', () => {
  test('goes on after a restart of the gateway, says so, and misses nothing that happens from then on', async () => {
    // The wait before a connection is random.
    vi.spyOn(Math, 'random').mockReturnValue(0.01);
    onTestFinished(() => void vi.restoreAllMocks());
    const { ask, watch } = await load('postern.ts');
    const event = `emitEvent(input: { accountId: "${pnet}", event: NEW_RELATION }) { __typename }`;
    const told: boolean[] = [];
    const changes = watch(parse('subscription { deliveryUpdated { deliveryId } }'), {}, (isReconnected: boolean) => {
      told.push(isReconnected);
      void ask(parse(`mutation { ${event} }`), {});
    });
    const before = new Set<string>();
    let restarted: Promise<void> | undefined;
    for await (const { deliveryUpdated } of changes) {
      const { deliveryId } = deliveryUpdated;
      if (told.length === 2 && !before.has(deliveryId)) break;
      before.add(deliveryId);
      restarted ??= postern.restart(1_000);
    }
    await restarted;
    expect(told).toEqual([false, true]);
    expect(before.size).toBeGreaterThan(0);
  });

  test('ends at once when its reader goes away', async () => {
    const { watch } = await load('postern.ts');
    const changes = watch(parse('subscription GoneReader { jobPostingUpdated(jobIds: ["1001"]) { state } }'), {});
    expect((await changes.next()).value.jobPostingUpdated).toEqual({ state: 'DRAFT' });
    const waiting = changes.next();
    await changes.return();
    expect(await waiting).toMatchObject({ done: true });
    await postern.logged(/"operation":"GoneReader"/);
  });

  test('ends with the error that it throws', async () => {
    const { watch } = await load('postern.ts');
    const changes = watch(parse('subscription Unknown { jobPostingUpdated(jobIds: ["404404"]) { state } }'), {});
    await expect(changes.next()).rejects.toMatchObject({ name: 'PosternError', code: 'RESOURCE_NOT_FOUND' });
    expect(await changes.next()).toMatchObject({ done: true });
  });
});
