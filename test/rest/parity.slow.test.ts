/** One list of requests in the contract's terms, sent through both faces: their outcomes are the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/kernel/endpoint.ts';
import { type SandboxSessionName, sandboxSessions } from '../../src/providers/sandbox/networks.ts';
import { allBackends, onOneDatabase, type SeededWorkspace, type Served } from '../support/backends.ts';
import { faces } from '../support/faces.ts';
import { callEndpoint, type FlatRequest } from '../support/rest.ts';

interface Case {
  readonly what: string;
  readonly endpoint: EndpointName;
  /** Called once per face: what one face does must not affect the other. */
  request(workspace: SeededWorkspace): Promise<FlatRequest>;
  /** The key; the workspace's own unless said otherwise. */
  key?(workspace: SeededWorkspace): Promise<string | undefined>;
}

const unknownId = 'AAAAAAAAAAAAAAAAAAAAAA';
const long = (length: number) => 'x'.repeat(length);
type Make = (workspace: SeededWorkspace, accountId: string) => Promise<object>;

/** A case with an account of its own. */
const fromAccount = (
  endpoint: EndpointName,
  what: string,
  make: Make = async () => ({}),
  options: Parameters<SeededWorkspace['account']>[0] = {},
): Case => ({
  what,
  endpoint,
  async request(workspace) {
    const account_id = await workspace.account(options);
    return { account_id, ...(await make(workspace, account_id)) };
  },
});
type DraftOptions = Omit<Parameters<SeededWorkspace['draft']>[0], 'accountId'>;
const edit =
  (more: object = { workplace: 'REMOTE' }, options: DraftOptions = {}): Make =>
  async (workspace, accountId) => ({
    job_id: await workspace.draft({ accountId, ...options }),
    ...more,
  });
const publish =
  (more: object = {}, options: DraftOptions = {}): Make =>
  async (workspace, accountId) => ({
    draft_id: await workspace.draft({ accountId, ...options }),
    mode: 'FREE',
    ...more,
  });
const posts =
  (more: object = {}): Make =>
  async () => ({ identifier: 'ACoSandbox1', limit: 1, ...more });
const solve =
  (input: string, options: DraftOptions, address: () => string): Make =>
  async (workspace, accountId) => {
    const draft_id = await workspace.draft({ accountId, ...options });
    await callEndpoint(address(), workspace.key, 'PUB', { account_id: accountId, draft_id, mode: 'FREE' });
    return { draft_id, input };
  };
const webhook = (what: string, more: object): Case => ({
  what,
  endpoint: 'WHCREATE',
  request: async () => ({ source: 'users', request_url: 'https://hooks.example/in', ...more }),
});

const cases = (address: () => string): Case[] => [
  fromAccount('EDIT', 'an edit', edit()),
  fromAccount('EDIT', 'no change', edit({})),
  fromAccount('EDIT', 'a job that is closed', edit(undefined, { state: 'closed' })),
  fromAccount('EDIT', 'an unknown job', async () => ({ job_id: '123456789' })),
  fromAccount('EDIT', 'a malformed job id', async () => ({ job_id: 'malformed' })),
  fromAccount('EDIT', 'a job id that is too long', async () => ({ job_id: long(256) })),
  fromAccount('EDIT', 'an unknown account', edit({ account_id: unknownId })),
  fromAccount('EDIT', 'a malformed account', edit({ account_id: 'malformed' })),
  fromAccount('EDIT', 'an account of another type', edit(), { type: 'MAIL' }),
  fromAccount('EDIT', 'a failing network', edit(undefined, { scenario: 'edit-configuration' })),

  fromAccount('PUB', 'a draft', publish()),
  fromAccount('PUB', 'a draft that requires a code', publish({}, { scenario: 'otp' })),
  fromAccount('PUB', 'a published job', publish({}, { state: 'active' })),
  fromAccount('PUB', 'an unknown draft', async () => ({ draft_id: '123456789', mode: 'FREE' })),
  ...(
    [
      'not-free',
      'insufficient-job-slot',
      'unprocessable',
      'invalid-account',
      'configuration',
      'provider-error',
    ] as const
  ).map((scenario) => fromAccount('PUB', `a draft with the scenario ${scenario}`, publish({}, { scenario }))),
  ...(['payment-error', 'insufficient-credits'] as const).map((scenario) =>
    fromAccount('PUB', `a draft with the scenario ${scenario}`, publish({ mode: 'PROMOTED' }, { scenario })),
  ),

  ...['123456', '999999', 'no code', '000401', '000410', '000422', ''].map((input) =>
    fromAccount('CHK', `the code "${input}"`, solve(input, { scenario: 'otp' }, address)),
  ),
  fromAccount('CHK', 'a token', solve('sandbox-email-token', { scenario: 'email-then-otp' }, address)),
  fromAccount('CHK', 'a checkpoint that is not open', async (workspace, accountId) => ({
    draft_id: await workspace.draft({ accountId }),
    input: '123456',
  })),
  fromAccount('CHK', 'a code that is too long', solve(long(256), { scenario: 'otp' }, address)),

  fromAccount('POSTS', 'a person', posts()),
  fromAccount('POSTS', 'a company', posts({ identifier: '900043', is_company: true })),
  fromAccount('POSTS', 'a photonet user', posts({ identifier: 'sandbox.one' }), { type: 'PHOTONET' }),
  fromAccount('POSTS', 'an unknown account', posts({ account_id: unknownId })),
  fromAccount('POSTS', 'an account of another type', posts(), { type: 'MAIL' }),
  fromAccount('POSTS', 'an account that is stopped', posts(), { status: 'STOPPED' }),
  ...['nobody', 'ACoSandboxUserUnreachable', 'ACoSandboxProviderUnreachable', 'ACoSandboxRestricted', long(256)].map(
    (identifier) => fromAccount('POSTS', `the identifier ${identifier.slice(0, 40)}`, posts({ identifier })),
  ),
  fromAccount('POSTS', 'a cursor that was not returned', posts({ cursor: 'AAAA' })),

  { what: 'the list', endpoint: 'WHLIST', request: async () => ({}) },
  { what: 'a limit', endpoint: 'WHLIST', request: async () => ({ limit: 250 }) },
  { what: 'a limit that is too high', endpoint: 'WHLIST', request: async () => ({ limit: 251 }) },
  { what: 'a negative limit', endpoint: 'WHLIST', request: async () => ({ limit: -1 }) },
  { what: 'a cursor that was not returned', endpoint: 'WHLIST', request: async () => ({ cursor: 'AAAA' }) },
  webhook('a webhook', {}),
  webhook('a URL that is too long', { request_url: `https://hooks.example/${long(2_048)}` }),
  webhook('too many headers', {
    headers: Array.from({ length: 251 }, (_, index) => ({ key: `X-${index}`, value: '' })),
  }),
  webhook('an unknown account', { account_ids: [unknownId] }),
  webhook('a malformed account', { account_ids: ['malformed'] }),
  { what: 'a webhook', endpoint: 'WHDEL', request: async (workspace) => ({ id: await workspace.webhook() }) },
  { what: 'an unknown webhook', endpoint: 'WHDEL', request: async () => ({ id: unknownId }) },
  { what: 'a malformed id', endpoint: 'WHDEL', request: async () => ({ id: 'malformed' }) },

  ...(['EDIT', 'POSTS', 'WHLIST', 'WHCREATE', 'WHDEL', 'PUB', 'CHK'] as const).flatMap((endpoint): Case[] => {
    // Nothing in these requests is valid, which shows that the key is checked first. Cursors differ by face.
    const bad: FlatRequest = {
      EDIT: { account_id: 'x', job_id: 'x', location: 'x' },
      POSTS: { account_id: 'x', identifier: 'x' },
      WHLIST: { limit: 251 },
      WHCREATE: { source: 'users', request_url: 'x' },
      WHDEL: { id: 'x' },
      PUB: { account_id: 'x', draft_id: 'x', mode: 'FREE' },
      CHK: { account_id: 'x', draft_id: 'x', input: '' },
    }[endpoint];
    const request = async () => bad;
    return [
      { what: 'no key', endpoint, request, key: async () => undefined },
      { what: 'an unknown key', endpoint, request, key: async () => 'postern_unknown' },
      { what: 'a key without the scope', endpoint, request, key: ({ newKey }) => newKey({ scopes: [] }) },
    ];
  }),
  ...(Object.keys(sandboxSessions) as SandboxSessionName[])
    .filter((session) => session !== 'ok')
    .map((session) => fromAccount('PUB', `a session that is ${session}`, publish(), { session })),
];

describe.each(onOneDatabase(allBackends))('both faces over the $name backend', (backend) => {
  let served: Served;
  let workspace: SeededWorkspace;

  beforeAll(async () => {
    served = await backend.start({ environment: { LOG_LEVEL: 'silent' } });
    workspace = await served.workspace();
  });
  afterAll(() => served.close());

  test.each(cases(() => served.address))(
    '$endpoint: $what',
    async ({ endpoint, request, key = async () => workspace.key }) => {
      const [first, second] = await Promise.all(
        faces.map(async ({ ask }) => {
          const asked = await request(workspace);
          const { object, type, status } = await ask(served.address, await key(workspace), endpoint, asked);
          return { object, type, status };
        }),
      );
      expect(second).toEqual(first);
      expect(first?.object ?? first?.type).toBeTruthy();
    },
  );
});
