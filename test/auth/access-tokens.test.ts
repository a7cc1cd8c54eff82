/** Access tokens: what a page may do with one, and what nobody may. */
import { SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deriveKeys } from '../../src/kernel/secrets/secret.ts';
import { type Gateway, type GatewayOptions, graphql, startGateway, type TestWorkspace } from '../support/gateway.ts';
import { openSocket } from '../support/web-socket.ts';
import { testSecret } from '../support/webhooks.ts';

const create = `mutation Create($input: CreateAccessTokenInput!) { createAccessToken(input: $input) {
  ... on AccessTokenCreated { token tokenId expiresAt }
  ... on InvalidRequestError { issues { path code limit } }
  ... on ServiceError { code message } } }`;

const viewer = '{ viewer { keyId name scopes accountIds expiresAt tokenId origins workspace { workspaceId } } }';

interface Started {
  readonly gateway: Gateway;
  readonly workspace: TestWorkspace;
  /** Creates a token, with the key of the workspace if no other is given. */
  create(input: object, key?: string): ReturnType<typeof graphql>;
  /** @returns the token alone */
  token(input?: object, key?: string): Promise<string>;
}

async function start(options: GatewayOptions = {}): Promise<Started> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  const workspace = await gateway.workspace();
  const ask: Started['create'] = (input, key = workspace.key) => graphql(gateway.address, key, create, { input });
  return {
    gateway,
    workspace,
    create: ask,
    token: async (input = {}, key) =>
      (await ask({ scopes: ['ACCOUNTS_READ'], ...input }, key)).data.createAccessToken.token,
  };
}

const accounts = '{ accounts { nodes { accountId } } }';
const codeOf = ({ errors }: Awaited<ReturnType<typeof graphql>>) => errors[0]?.extensions.code;

const ask = (address: string, headers: Readonly<Record<string, string>>, query = accounts) =>
  fetch(`${address}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  }).then((response) => response.json() as Promise<{ data?: unknown; errors?: [{ extensions: { code: string } }] }>);

describe('what a token may', () => {
  test('be is told by viewer and the log, which never have the token itself', async () => {
    const { gateway, workspace, create: make } = await start();
    const accountId = await workspace.account();
    const input = { scopes: ['ACCOUNTS_READ', 'POSTS_READ'], accountIds: [accountId], expiresIn: 600 };
    const { token, ...made } = (await make(input)).data.createAccessToken;
    const expiresAt = new Date(gateway.clock.now.getTime() + 600_000).toISOString();
    expect(made).toEqual({ tokenId: expect.any(String), expiresAt });
    const { data } = await graphql(gateway.address, token, viewer);
    const ofKey = (await graphql(gateway.address, workspace.key, viewer)).data.viewer;
    expect(data.viewer).toEqual({
      keyId: ofKey.keyId,
      name: 'test',
      scopes: input.scopes,
      accountIds: [accountId],
      expiresAt,
      tokenId: made.tokenId,
      origins: null,
      workspace: { workspaceId: workspace.workspaceId },
    });
    expect(ofKey).toMatchObject({ tokenId: null, origins: null, accountIds: null, expiresAt: null });
    const { keyId } = ofKey;
    expect(gateway.log).toContainEqual(expect.objectContaining({ msg: 'request', keyId, tokenId: made.tokenId }));
    expect(JSON.stringify(gateway.log)).not.toContain(token.slice(-20));
  });

  test('do: as bearer token, as API key, in connection_init and for EventSource', async () => {
    const { gateway, workspace, token } = await start();
    const accountId = await workspace.account();
    const made = await token();
    const { address } = gateway;
    const ways: Readonly<Record<string, string>>[] = [{ authorization: `Bearer ${made}` }, { 'x-api-key': made }];
    for (const headers of ways) {
      expect(await ask(address, headers)).toEqual({ data: { accounts: { nodes: [{ accountId }] } } });
    }
    const socket = await openSocket(address, { init: { authorization: `Bearer ${made}` } });
    onTestFinished(() => socket.socket.terminate());
    expect((await socket.ask('1', { query: accounts })).payload.data.accounts.nodes).toEqual([{ accountId }]);

    const watch = `subscription { accountUpdated(accountIds: ["${accountId}"]) { accountId } }`;
    const inUrl = (secret: string, query: string, accept: string) =>
      fetch(`${address}/graphql?${new URLSearchParams({ query, access_token: secret })}`, { headers: { accept } });
    const events = await inUrl(made, watch, 'text/event-stream');
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data: {')) text += (await reader?.read())?.value ?? '';
    expect(text).toContain(accountId);
    await reader?.cancel();
    // Neither for what can send a header, nor a key that lasts.
    for (const [secret, accept] of [
      [made, 'application/json'],
      [workspace.key, 'text/event-stream'],
    ] as const) {
      expect(await (await inUrl(secret, accounts, accept)).text()).toContain('MISSING_CREDENTIALS');
    }
    const posted = await fetch(`${address}/graphql?access_token=${made}`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: accounts }),
    });
    expect(await posted.text()).toContain('MISSING_CREDENTIALS');
    expect(JSON.stringify(gateway.log)).not.toContain(made.slice(-20));
  });

  test('not more than its key, and no other workspace', async () => {
    const { gateway, workspace, create: make, token } = await start();
    const [mine, other] = [await workspace.account(), await workspace.account()];
    const foreign = await (await gateway.workspace()).account();
    const limited = await workspace.newKey({ scopes: ['accounts:read', 'tokens:write'], accountIds: [mine] });
    const failure = async (input: object, key?: string) => (await make(input, key)).data.createAccessToken;
    expect(codeOf(await make({ scopes: ['POSTS_READ'] }, limited))).toBe('INSUFFICIENT_PRIVILEGES');
    const scopes = ['ACCOUNTS_READ'];
    expect(await failure({ scopes, accountIds: [other] }, limited)).toMatchObject({ code: 'ACCOUNT_MISMATCH' });
    expect(await failure({ scopes, accountIds: [foreign] })).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(await failure({ scopes: ['TOKENS_WRITE'] })).toMatchObject({ code: 'INVALID_PARAMETERS' });
    const noTokens = await workspace.newKey({ scopes: ['accounts:read'] });
    expect(codeOf(await make({ scopes }, noTokens))).toBe('INSUFFICIENT_PRIVILEGES');
    expect(codeOf(await make({ scopes }, await token()))).toBe('INSUFFICIENT_PRIVILEGES');

    for (const key of [await token({}, limited), await token({ accountIds: [mine] })]) {
      const seen = await graphql(gateway.address, key, accounts);
      expect(seen.data.accounts.nodes).toEqual([{ accountId: mine }]);
      expect(codeOf(await graphql(gateway.address, key, '{ webhooks { nodes { id } } }'))).toBe(
        'INSUFFICIENT_PRIVILEGES',
      );
    }
    const expiresAt = new Date(gateway.clock.now.getTime() + 120_000);
    const ending = await workspace.newKey({ expiresAt });
    expect(await failure({ scopes, expiresIn: 3_600 }, ending)).toMatchObject({ expiresAt: expiresAt.toISOString() });
  });

  test('not more than its key by now', async () => {
    const { gateway, workspace, token } = await start();
    const made = await token({ scopes: ['ACCOUNTS_READ', 'WEBHOOKS_READ'] });
    const expiresAt = new Date(gateway.clock.now.getTime() + 120_000);
    await gateway.app.database
      .updateTable('api_keys')
      .set({ scopes: JSON.stringify(['accounts:read']), expires_at: expiresAt.getTime() })
      .where('workspace_id', '=', workspace.workspaceId)
      .execute();
    const seen = async () => (await graphql(gateway.address, made, viewer)).data.viewer;
    await expect.poll(seen).toMatchObject({ scopes: ['ACCOUNTS_READ'], expiresAt: expiresAt.toISOString() });
  });

  test.each([
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['ACCOUNTS_READ', 'TOKENS_WRITE'] }, 'scopes', '1'],
    [{ expiresIn: 3_601 }, 'expiresIn'],
    [{ expiresIn: 59 }, 'expiresIn'],
    [{ origins: ['https://app.example/'] }, 'origins'],
    [{ origins: ['null'] }, 'origins'],
    [{ origins: ['https://*.example'] }, 'origins'],
    [{ accountIds: [] }, 'accountIds'],
  ])('be asked for: %o is refused at its field', async (input, ...path) => {
    const { create: make } = await start();
    const { issues } = (await make({ scopes: ['ACCOUNTS_READ'], ...input })).data.createAccessToken;
    expect(issues).toMatchObject([{ path: expect.arrayContaining(['input', ...path]) }]);
  });
});

describe('a token is refused', () => {
  test('of which anything was changed, or that somebody else has signed', async () => {
    const { gateway, workspace, token } = await start();
    const made = await token();
    const [head = '', body = '', signature = ''] = made.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const more = encoded({ ...claims, scopes: ['webhooks:write'] });
    const signed = (secret: Uint8Array, { alg = 'HS256', typ = 'at+jwt' } = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg, typ }).sign(secret);
    const key = deriveKeys(testSecret)('access-tokens');
    // The way to sign one is right.
    expect(await ask(gateway.address, { authorization: `Bearer ${await signed(key)}` })).toHaveProperty(
      'data.accounts',
    );
    const wrong = [
      `${head}.${more}.${signature}`,
      `${head}.${body}.${signature.slice(0, -2)}AA`,
      `${head}.${body}.`,
      `${encoded({ alg: 'none', typ: 'at+jwt' })}.${more}.`,
      `${encoded({ alg: 'none', typ: 'at+jwt' })}.${body}.${signature}`,
      await signed(deriveKeys('another secret of thirty-two characters')('access-tokens')),
      await signed(deriveKeys(testSecret)('graphql-cursors')),
      await signed(key, { typ: 'JWT' }),
      await signed(Buffer.concat([key, key]), { alg: 'HS512' }),
      await new SignJWT({ ...claims, iss: 'another' }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(key),
      await new SignJWT({ ...claims, exp: undefined }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(key),
      await new SignJWT({ ...claims, sub: workspace.workspaceId })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
        .sign(key),
    ];
    for (const each of wrong) {
      const { errors } = await ask(gateway.address, { authorization: `Bearer ${each}` });
      expect(errors, each).toMatchObject([{ extensions: { code: 'INVALID_CREDENTIALS' } }]);
    }
  });

  test('once it has expired', async () => {
    const { gateway, token } = await start();
    const headers = { authorization: `Bearer ${await token({ expiresIn: 60 })}` };
    expect(await ask(gateway.address, headers)).toHaveProperty('data');
    const socket = await openSocket(gateway.address, { init: headers });
    gateway.clock.now = new Date(gateway.clock.now.getTime() + 60_000);
    const { errors } = await ask(gateway.address, headers);
    expect(errors).toMatchObject([{ extensions: { code: 'EXPIRED_CREDENTIALS' } }]);
    expect(await socket.closed).toEqual([4403, 'The access token has expired: get another.']);
  });

  test('issued by a clock that was ahead, once that is right again', async () => {
    const { gateway, token } = await start();
    const right = gateway.clock.now;
    gateway.clock.now = new Date(right.getTime() + 365 * 86_400_000);
    const headers = { authorization: `Bearer ${await token()}` };
    expect(await ask(gateway.address, headers)).toHaveProperty('data');
    gateway.clock.now = right;
    // It is remembered for a second.
    const refused = async () => (await ask(gateway.address, headers)).errors?.[0].extensions.code;
    await expect.poll(refused, { timeout: 3_000 }).toBe('EXPIRED_CREDENTIALS');
  });

  test('soon after the revocation of its key', async () => {
    const { gateway, workspace, token } = await start();
    const headers = { authorization: `Bearer ${await token()}` };
    const socket = await openSocket(gateway.address, { init: headers });
    expect(await ask(gateway.address, headers)).toHaveProperty('data');
    await gateway.app.database
      .updateTable('api_keys')
      .set({ revoked_at: gateway.clock.now.getTime() })
      .where('workspace_id', '=', workspace.workspaceId)
      .execute();
    const refused = async () => (await ask(gateway.address, headers)).errors?.[0].extensions.code;
    await expect.poll(refused).toBe('INVALID_CREDENTIALS');
    expect((await socket.closed)[0]).toBe(4403);
  });

  test('from pages of other origins than its own', async () => {
    const { gateway, token } = await start({ environment: { CORS_ORIGINS: 'https://app.example,https://b.example' } });
    const origins = ['https://app.example', gateway.address];
    const authorization = `Bearer ${await token({ origins })}`;
    const host = new URL(gateway.address).host;
    const refused = { errors: [{ extensions: { code: 'RESOURCE_ACCESS_RESTRICTED' } }] };
    for (const origin of origins) {
      expect(await ask(gateway.address, { authorization, origin })).toHaveProperty('data.accounts');
    }
    const others: Readonly<Record<string, string>>[] = [
      { origin: 'https://b.example' },
      { origin: 'null' },
      {},
      { 'sec-fetch-site': 'cross-site' },
    ];
    const left = (headers: Headers) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const send = (headers: Readonly<Record<string, string>>) =>
      fetch(`${gateway.address}/graphql`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: accounts }),
      });
    const before = left((await send({ origin: gateway.address })).headers);
    for (const headers of others) {
      expect(await ask(gateway.address, { authorization, ...headers })).toMatchObject(refused);
    }
    // They count as the others do.
    expect(left((await send(others[0] ?? {})).headers)).toBe(before - others.length - 1);
    const ofPage = { authorization, 'sec-fetch-site': 'same-origin', host };
    expect(await ask(gateway.address, ofPage)).toHaveProperty('data.accounts');
    const socket = await openSocket(gateway.address, {
      init: { authorization },
      headers: { origin: 'https://b.example' },
    });
    onTestFinished(() => socket.socket.terminate());
    expect((await socket.ask('1', { query: accounts })).payload).toMatchObject(refused.errors);
  });

  test('when the secret has changed, but not while the former one is known', async () => {
    const { gateway, token } = await start();
    const headers = { authorization: `Bearer ${await token()}` };
    const database = { DATABASE_URL: `sqlite:${gateway.directory}/postern.db` };
    const secret = 'a new secret that has thirty-two characters';
    const both = await start({ environment: { ...database, SECRET: secret, SECRET_PREVIOUS: testSecret } });
    expect(await ask(both.gateway.address, headers)).toHaveProperty('data.accounts');
    const since = await start({ environment: { ...database, SECRET: secret } });
    const { errors } = await ask(since.gateway.address, headers);
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_CREDENTIALS' } }]);
  });
});

describe('tokens count as their key', () => {
  test('requests', async () => {
    const { gateway, workspace, token } = await start({ environment: { REQUESTS_PER_MINUTE: '4' } });
    const [one, two] = [await token(), await token()];
    const use = (key: string) => graphql(gateway.address, key, accounts);
    for (const each of [one, two]) expect((await use(each)).errors).toEqual([]);
    for (const each of [one, two, workspace.key]) expect(codeOf(await use(each))).toBe('SERVICE_UNAVAILABLE');
    expect((await use(await workspace.newKey())).errors).toEqual([]);
  });

  test.each([
    ['socket', 1013],
    ['subscription', 503],
  ] as const)('streams: %s', async (kind, refused) => {
    const { gateway, workspace, token } = await start({ environment: { STREAMS_PER_KEY: '2' } });
    const query = `subscription { accountUpdated(accountIds: ["${await workspace.account()}"]) { accountId } }`;
    const responses: Response[] = [];
    const open = {
      async socket(key: string) {
        const { socket, say, next, closed } = await openSocket(gateway.address, { init: null });
        onTestFinished(() => socket.terminate());
        say({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } });
        return Promise.race([next().then(() => 'open'), closed.then(([code]) => code)]);
      },
      async subscription(key: string) {
        const ending = new AbortController();
        onTestFinished(() => ending.abort());
        const response = await fetch(`${gateway.address}/graphql?${new URLSearchParams({ query })}`, {
          headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` },
          signal: ending.signal,
        });
        // A response that nobody refers to is collected, and its stream ends.
        responses.push(response);
        return response.status === 200 ? 'open' : response.status;
      },
    }[kind];
    for (let count = 0; count < 2; count += 1) expect(await open(await token())).toBe('open');
    for (const each of [await token(), workspace.key]) expect(await open(each)).toBe(refused);
    expect(await open(await workspace.newKey())).toBe('open');
  });
});

describe('in proxy mode', () => {
  test('there are tokens of the keys of this gateway', async () => {
    const {
      gateway,
      create: make,
      token,
    } = await start({
      environment: { UPSTREAM_URL: 'http://127.0.0.1:9', UPSTREAM_API_KEY: 'of-the-service' },
    });
    const { data } = await graphql(gateway.address, await token({ accountIds: ['any'] }), viewer);
    expect(data.viewer).toMatchObject({ scopes: ['ACCOUNTS_READ'], accountIds: ['any'] });
    const many = Array.from({ length: 20 }, (_, each) => `${each}`.padStart(100, '0'));
    const { createAccessToken } = (await make({ scopes: ['ACCOUNTS_READ'], accountIds: many })).data;
    expect(createAccessToken).toMatchObject({ code: 'LIMIT_TOO_HIGH' });
  });

  test('there are none of keys that the service checks', async () => {
    const gateway = await startGateway({ environment: { UPSTREAM_URL: 'http://127.0.0.1:9' } });
    onTestFinished(() => gateway.close());
    const { errors } = await graphql(gateway.address, 'theirs', create, { input: { scopes: ['POSTS_READ'] } });
    expect(errors.map(({ message }) => message)).toContain(
      'Cannot query field "createAccessToken" on type "Mutation".',
    );
  });
});
