/** Networks of a program: `networks` of `createGateway`, and the accounts that it connects. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import {
  type AccountType,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type NetworkPage,
  type PhotonetPost,
  type PostProvider,
  type PostQuery,
  type ProviderSession,
  ServiceError,
} from 'postern';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createKey } from '../../src/auth/api-keys.ts';
import { scopeNames } from '../../src/kernel/caller.ts';
import { maxNetworkText, ownNetworks } from '../../src/providers/own-networks.ts';
import { sandboxNetworks, sandboxToken } from '../../src/providers/sandbox/networks.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryDirectory } from '../support/process.ts';

const token = 'token-of-ada-0123456789';

const clip = (username: string, place: number): PhotonetPost => ({
  object: 'Post',
  provider: 'PHOTONET',
  provider_id: `${username}-${place}`,
  has_audio: true,
  has_liked: false,
  like_and_view_counts_disabled: false,
  comments_disabled: false,
  like_count: place,
  comment_count: 0,
  accessibility_caption: 'A clip.',
  preview_image: { url: 'https://clipnet.example/1.jpg', width: 1080, height: 1920 },
  owner: {
    id: username,
    username,
    profile_pic_url: 'https://clipnet.example/2.jpg',
    is_verified: false,
    is_private: false,
  },
  location: { name: 'Lisbon, Portugal', lat: 38.7, lng: -9.1 },
});

const shared = Object.freeze(clip('shared', 0));
const circular: Record<string, unknown> = {};
circular.self = circular;

/** What a network may return and throw that it should not. */
const misbehaving: Record<string, (session: ProviderSession) => unknown> = {
  nothing: () => undefined,
  'no-list': () => ({ items: {}, cursor: null }),
  'no-objects': () => ({ items: [null, 7], cursor: null }),
  'no-cursor': () => ({ items: [] }),
  'too-many': () => ({ items: [clip('a', 0), clip('a', 1), clip('a', 2)], cursor: null }),
  'long-cursor': () => ({ items: [], cursor: 'x'.repeat(1_048_576) }),
  circular: () => ({ items: [circular], cursor: null }),
  'a-number': () => ({ items: [{ ...clip('a', 0), like_count: 1n }], cursor: null }),
  throws: () => {
    throw new Error('Connection to 10.0.0.7 refused');
  },
  'throws-text': () => Promise.reject('no error'),
  'tells-token': (session) => {
    throw new Error(`401 for ${session.token}`, { cause: { headers: { authorization: `Bearer ${session.token}` } } });
  },
  'tells-callers': (session) => {
    throw new ServiceError('invalid_credentials', { detail: `No session ${session.token} is known.` });
  },
};

/** Failures that were changed after they were made, or made past the compiler: by what they have that is wrong. */
const changed: Record<string, object> = {
  errorName: { errorName: '__proto__' },
  'another name': { errorName: 'bogus_name' },
  'a detail that is no text': { detail: 1n },
  'a detail that is an object': { detail: { a: 1 } },
  'a long detail': { detail: 'x'.repeat(5_000_000) },
  'issues that are none': { issues: 'nope' },
  'issues with nothing': { issues: [null] },
};
for (const [what, properties] of Object.entries(changed))
  misbehaving[what.replaceAll(' ', '-')] = () => {
    throw Object.assign(new ServiceError('invalid_recipient', { detail: 'Nobody.' }), properties);
  };
misbehaving['no-failure'] = () => {
  throw Object.create(ServiceError.prototype);
};
misbehaving['a-long-failure'] = ({ token: secret }) => {
  throw new Error(`${'x'.repeat(19_980)}${secret}${'x'.repeat(5_000_000)}`);
};
misbehaving['a-revoked-failure'] = () => {
  const { proxy, revoke } = Proxy.revocable(new Error('gone'), {});
  revoke();
  throw proxy;
};
misbehaving['tells-in-an-issue'] = ({ token: secret }) => {
  const issue = (message: string) => ({ path: ['a'], code: 'malformed', message }) as const;
  const issues = Array.from({ length: 80 }, (_, at) => issue(at === 75 ? `not ${secret}` : 'wrong'));
  throw new ServiceError('invalid_parameters', { issues });
};
/** Everybody there has three clips, which come one to a page. */
class Clipnet implements PostProvider {
  readonly calls: { session: ProviderSession; query: PostQuery }[] = [];

  async listPosts(session: ProviderSession, query: PostQuery): Promise<NetworkPage<PhotonetPost>> {
    this.calls.push({ session, query });
    const misbehave = misbehaving[query.identifier];
    // Programs in JavaScript return anything.
    if (misbehave !== undefined) return (await misbehave(session)) as NetworkPage<PhotonetPost>;
    if (query.identifier === 'shared') return Object.freeze({ items: [shared], cursor: null });
    if (query.identifier === 'odd') return { items: [{ object: 'Post' } as PhotonetPost, shared], cursor: null };
    if (query.identifier === 'nobody')
      throw new ServiceError('invalid_recipient', { detail: 'Nobody on clipnet has this identifier.' });
    const place = Number(query.cursor ?? 0);
    return { items: [clip(query.identifier, place)], cursor: place === 2 ? null : String(place + 1) };
  }
}

const log: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line) => void log.push(line) });
const clipnet = new Clipnet();
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let gateway: Gateway;
let accountId: string;
let key: string;

const location = () => ({ kind: 'sqlite', file: join(directory.path, 'postern.db') }) as const;

beforeAll(async () => {
  directory = await temporaryDirectory();
  gateway = await createGateway({
    nodeEnv: 'test',
    logger,
    databaseUrl: `sqlite:${location().file}`,
    networks: { MICROBLOG: clipnet },
  });
  accountId = await gateway.connectAccount({ workspace: 'Acme', type: 'MICROBLOG', name: 'Ada', token });
  const database = await openDatabase(location());
  const { id: workspaceId } = await database.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  const settings = { workspaceId, name: 'test', scopes: scopeNames, accountIds: null, expiresAt: null };
  ({ key } = await createKey(database, settings, { now: new Date(), randomBytes }));
  await database.destroy();
});
afterAll(async () => {
  await gateway?.close();
  await directory?.[Symbol.asyncDispose]();
});

const list = async (identifier: string, parameters: Readonly<Record<string, string>> = {}) => {
  const query = new URLSearchParams({ account_id: accountId, ...parameters });
  const response = await gateway.fetch(`/v1/users/${identifier}/posts?${query}`, { headers: { 'x-api-key': key } });
  return { status: response.status, body: await response.json() };
};

const ask = async (
  identifier: string,
  account = accountId,
  fields = '... on PhotonetPost { id providerId author { id } }',
) => {
  const query = `{ posts(accountId: "${account}", identifier: "${identifier}", first: 2) { nodes { ${fields} } } }`;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  return response.json();
};

describe('a network of the program', () => {
  test('lists its posts over REST, page by page, with the token of the account', async () => {
    const items: PhotonetPost[] = [];
    let cursor: string | null = null;
    do {
      const { body } = await list('ada', { limit: '1', ...(cursor === null ? {} : { cursor }) });
      items.push(...body.items);
      cursor = body.cursor;
    } while (cursor !== null);
    expect(items).toEqual([0, 1, 2].map((place) => clip('ada', place)));
    expect(clipnet.calls[0]).toEqual({
      session: { accountId, type: 'MICROBLOG', token },
      query: { identifier: 'ada', isCompany: false, cursor: null, limit: 1 },
    });
  });

  test('lists them over GraphQL, with those of their owners', async () => {
    const author = 'author { posts(first: 1) { nodes { ... on PhotonetPost { providerId } } } }';
    expect(await ask('ada', accountId, `... on PhotonetPost { providerId ${author} }`)).toEqual({
      data: {
        posts: {
          nodes: [0, 1].map((place) => ({
            providerId: `ada-${place}`,
            author: { posts: { nodes: [{ providerId: 'ada-0' }] } },
          })),
        },
      },
    });
  });

  test('fails with the error that it throws', async () => {
    const detail = 'Nobody on clipnet has this identifier.';
    expect(await list('nobody')).toMatchObject({ status: 422, body: { type: 'errors/invalid_recipient', detail } });
  });

  test.each([
    [{ headers: { 'x bad name': 'v', 'set-cookie': 'a=b' } }, null],
    [{ headers: { 'retry-after': '7\r\nx-evil: 1' } }, null],
    [{ headers: { 'retry-after': '7', 'x-evil': '1' }, status: 200, title: 'Fine' }, '7'],
  ])('fails with the name of its error, and with no header but Retry-After: %j', async (properties, retryAfter) => {
    misbehaving['with-headers'] = () => {
      throw Object.assign(new ServiceError('service_unavailable', { detail: 'Later.' }), properties);
    };
    const response = await gateway.fetch(`/v1/users/with-headers/posts?account_id=${accountId}`, {
      headers: { 'x-api-key': key },
    });
    expect(await response.json()).toMatchObject({ status: 503, type: 'errors/service_unavailable', detail: 'Later.' });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, retryAfter]);
    expect([response.headers.get('x-evil'), response.headers.get('set-cookie')]).toEqual([null, null]);
    expect((await ask('with-headers')).errors).toMatchObject([{ extensions: { code: 'SERVICE_UNAVAILABLE' } }]);
    delete misbehaving['with-headers'];
  });

  test('whose error tells the token to whoever looks for its stack is not asked for it', async () => {
    log.length = 0;
    misbehaving['tells-in-a-getter'] = () => {
      throw Object.defineProperty(new ServiceError('invalid_recipient'), 'stack', {
        get() {
          throw new Error(`no stack of ${token}`);
        },
      });
    };
    expect(await list('tells-in-a-getter')).toMatchObject({ status: 422, body: { type: 'errors/invalid_recipient' } });
    expect((await ask('tells-in-a-getter')).errors).toMatchObject([{ extensions: { code: 'INVALID_RECIPIENT' } }]);
    expect(log.join('')).not.toContain(token);
    delete misbehaving['tells-in-a-getter'];
  });

  test.each(Object.keys(misbehaving))('that misbehaves (%s) fails, and shows nothing of itself', async (identifier) => {
    log.length = 0;
    const { status, body } = await list(identifier, { limit: '2' });
    expect([status, body.type, body.detail]).toEqual([
      500,
      'errors/provider_error',
      'The network failed. Try again later.',
    ]);
    expect((await ask(identifier)).errors).toMatchObject([{ extensions: { code: 'PROVIDER_ERROR' } }]);
    expect(log.join('')).not.toContain(token);
    expect(log.join('')).not.toContain(token.slice(0, 12));
    expect(Math.max(...log.map((line) => line.length))).toBeLessThan(50_000);
    if (identifier === 'throws') expect(log.join('')).toContain('10.0.0.7');
  });

  test('may share and freeze its objects: each caller gets its own', async () => {
    const { MICROBLOG } = ownNetworks({ MICROBLOG: clipnet });
    const session: ProviderSession = { accountId, type: 'MICROBLOG', token };
    const query: PostQuery = { identifier: 'shared', isCompany: false, cursor: null, limit: 1 };
    const page = await MICROBLOG?.listPosts(session, query, new AbortController().signal);
    expect(page).toEqual({ items: [shared], cursor: null });
    expect(page?.items[0]).not.toBe(shared);
    expect(Object.isFrozen(page?.items[0])).toBe(false);
  });

  test('has an error in the place of a post of no network', async () => {
    const { data, errors } = await ask('odd');
    expect(data.posts.nodes).toMatchObject([null, { providerId: 'shared-0' }]);
    expect(errors).toMatchObject([{ path: ['posts', 'nodes', 0], extensions: { code: 'PROVIDER_ERROR' } }]);
  });

  test('has cursors up to a length that both faces take', async () => {
    const cursor = 'ü'.repeat(maxNetworkText / 2 - 1);
    misbehaving['largest-cursor'] = () => ({ items: [clip('a', 0)], cursor });
    const query = `query ($after: String) { posts(accountId: "${accountId}", identifier: "largest-cursor", first: 1, after: $after) { pageInfo { endCursor } } }`;
    const page = async (after: string | null): Promise<string> => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const body = JSON.stringify({ query, variables: { after } });
      const { data, errors } = await (await gateway.fetch('/graphql', { method: 'POST', headers, body })).json();
      expect(errors).toBeUndefined();
      return data.posts.pageInfo.endCursor;
    };
    await page(await page(null));
    expect(clipnet.calls.at(-1)?.query.cursor).toBe(cursor);
  });

  test('serves no other account types, and leaves the simulated networks', async () => {
    const connect = (type: AccountType) =>
      gateway.connectAccount({ workspace: 'Acme', type, token: sandboxToken('ok') });
    const pnet = await list('ACoSandbox1', { account_id: await connect('PNET'), limit: '1' });
    expect(pnet.body).toMatchObject({ items: [{ provider: 'PNET' }] });
    expect((await list('ada', { account_id: await connect('MAIL') })).body.type).toBe('errors/invalid_account');
  });
});

describe('the token of an account', () => {
  test('is sealed in the database', async () => {
    const database = await openDatabase(location());
    onTestFinished(() => database.destroy());
    const accounts = await database.selectFrom('accounts').select('session').where('id', '=', accountId).execute();
    expect(accounts).toEqual([{ session: expect.stringMatching(/^sealed1:/) }]);
  });

  test.each([
    [{ type: 'MICROBLOG', token }, 'missing_parameters', 'workspace'],
    [{ workspace: 'Acme', type: 'TWITTER', token }, 'invalid_parameters', 'type'],
    [{ workspace: 'Acme', type: 'MICROBLOG', token: '' }, 'invalid_parameters', 'token'],
    [{ workspace: 'Acme', type: 'MICROBLOG', token: 'half of \ud83d' }, 'invalid_parameters', 'token'],
    [{ workspace: 'Acme', type: 'MICROBLOG', token: 'x'.repeat(20_001) }, 'too_many_characters', 'token'],
  ])('is not stored of %j', async (account, errorName, field) => {
    const connected = gateway.connectAccount(account as Parameters<Gateway['connectAccount']>[0]);
    await expect(connected).rejects.toMatchObject({ errorName, issues: [{ path: [field] }] });
  });
});

describe('an account that is connected again', () => {
  const again = { workspace: 'Acme', type: 'MICROBLOG', token: 'a new token' } as const;

  test('keeps its id and its name, and its next request uses the new token', async () => {
    expect(await gateway.connectAccount({ ...again, accountId })).toBe(accountId);
    expect((await list('ada')).status).toBe(200);
    expect(clipnet.calls.at(-1)?.session).toEqual({ accountId, type: 'MICROBLOG', token: 'a new token' });
    const database = await openDatabase(location());
    onTestFinished(() => database.destroy());
    const accounts = await database
      .selectFrom('accounts')
      .select(['name', 'status'])
      .where('id', '=', accountId)
      .execute();
    expect(accounts).toEqual([{ name: 'Ada', status: 'OK' }]);
    await gateway.connectAccount({ ...again, accountId, token });
  });

  test.each([
    ['of another workspace', { workspace: 'Other' }],
    ['of another type', { type: 'CHATAPP' }],
    ['unknown', { accountId: 'nobody' }],
  ] as const)('is not one %s, of which nothing changes', async (_what, change) => {
    const connected = gateway.connectAccount({ ...again, accountId, ...change });
    await expect(connected).rejects.toMatchObject({ errorName: 'resource_not_found' });
    expect((await list('ada')).status).toBe(200);
    expect(clipnet.calls.at(-1)?.session.token).toBe(token);
    const database = await openDatabase(location());
    onTestFinished(() => database.destroy());
    expect(await database.selectFrom('workspaces').select('name').execute()).not.toContainEqual({ name: 'Other' });
  });
});

describe('networks of a gateway', () => {
  const networks = { MICROBLOG: clipnet };
  const { PNET } = sandboxNetworks({ clock: () => new Date() });

  test.each([
    [{ networks: { TWITTER: clipnet } }, 'networks.TWITTER is no account type: the types are SEARCHMAIL, '],
    [{ networks: { MICROBLOG: {} } }, 'networks.MICROBLOG has no method listPosts'],
    [{ networks: { MICROBLOG: null } }, 'networks.MICROBLOG has no method listPosts'],
    [{ networks: { PNET: { ...PNET, publish: 7 } } }, 'networks.PNET has no method publish'],
    [{ networks: [] }, 'networks must be an object'],
    [{ networks, demo: true }, 'DEMO=on needs simulated networks alone'],
    [{ networks, upstreamUrl: 'http://127.0.0.1:1' }, 'networks has no effect with UPSTREAM_URL'],
  ])('%j are refused', async (options, message) => {
    await expect(createGateway({ nodeEnv: 'test', ...options } as GatewayOptions)).rejects.toThrow(message);
  });
});
