/** `postern/testing`: the simulated networks pass every check, and each check finds an adapter that breaks it. */
import { type JobProvider, type PhotonetPost, type PostProvider, type ProviderSession, ServiceError } from 'postern';
import { type Check, type JobCase, jobProviderChecks, type PostCase, postProviderChecks } from 'postern/testing';
import { describe, expect, test } from 'vitest';
import { companyJobId, type JobScenarioName, sandboxToken } from '../../src/providers/sandbox/networks.ts';
import { networks, ok } from '../support/sandbox.ts';

const access = { session: ok, wrongToken: sandboxToken('invalid_credentials') };
const draftOf = (name: JobScenarioName) => () => ({ jobId: '1', fields: { company_job_id: companyJobId(name) } });

const ofSandbox: Readonly<Record<string, readonly Check[]>> = {
  'pnet posts': postProviderChecks({
    ...access,
    provider: networks.PNET,
    identifier: 'ACoSandboxGallery',
    unknownIdentifier: 'nobody',
  }),
  'pnet posts of a company': postProviderChecks({
    ...access,
    provider: networks.PNET,
    identifier: '900043',
    isCompany: true,
    unknownIdentifier: 'nobody',
  }),
  'photonet posts': postProviderChecks({
    ...access,
    session: { ...ok, type: 'PHOTONET' },
    provider: networks.PHOTONET,
    identifier: 'sandbox.sixty',
    unknownIdentifier: 'nobody',
  }),
  'pnet jobs': jobProviderChecks({
    ...access,
    provider: networks.PNET,
    draft: draftOf('publish'),
    published: draftOf('response-lost')(),
    checkpoint: { draft: draftOf('otp'), input: '123456', wrongInput: '654321', malformedInput: 'abc' },
  }),
};

describe.each(Object.entries(ofSandbox))('the sandbox: %s', (_name, checks) => {
  test.each(checks)('$name', ({ run }) => run());
});

const session: ProviderSession = { accountId: 'a', type: 'PNET', token: 'token-of-ada' };
const refused = new ServiceError('invalid_credentials', { detail: 'The token is not known.' });

function requireToken({ token }: ProviderSession, signal: AbortSignal): void {
  signal.throwIfAborted();
  if (token !== session.token) throw refused;
}

const [sample] = (
  await networks.PHOTONET.listPosts(
    ok,
    { identifier: 'sandbox.one', isCompany: false, cursor: null, limit: 1 },
    new AbortController().signal,
  )
).items as PhotonetPost[];
const post = (id: number): PhotonetPost => ({ ...structuredClone(sample as PhotonetPost), provider_id: `${id}` });

const kept = [1, 2, 3].map(post);
/** What it has listed for whom: it must not. */
const cached = new Map<string, Awaited<ReturnType<PostProvider['listPosts']>>>();

/** Ada has three posts. */
const posts: PostProvider = {
  async listPosts(by, { identifier, cursor, limit }, signal) {
    requireToken(by, signal);
    if (identifier !== 'ada') throw new ServiceError('invalid_recipient', { detail: 'Nobody has this identifier.' });
    const start = Number(cursor ?? 0);
    const end = Math.min(start + limit, 3);
    return { items: [1, 2, 3].slice(start, end).map(post), cursor: end < 3 ? String(end) : null };
  },
};

type Listing = PostProvider['listPosts'];
const list: Listing = posts.listPosts;

let calls = 0;
/** By the check that finds it. */
const brokenPosts: Readonly<Record<string, Listing>> = {
  'a page has at most limit objects, and a cursor or null': (by, query, signal) =>
    list(by, { ...query, limit: 100 }, signal),
  'posts have the shape of their provider, and nothing else': async (...args) => {
    const page = await list(...args);
    return { ...page, items: page.items.map((each) => ({ ...each, likes: 1 })) };
  },
  'pages of any limit add up to the same list, which ends': async (by, query, signal) => {
    const page = await list(by, query, signal);
    return { ...page, cursor: page.cursor ?? '2' };
  },
  'no post stands twice in a list': async (by, query, signal) => {
    const page = await list(by, query, signal);
    return { ...page, items: page.items.map((each) => ({ ...each, provider_id: '1' })) as PhotonetPost[] };
  },
  'a cursor leads to the same page again': async (by, query, signal) => {
    calls += 1;
    return list(by, { ...query, cursor: query.cursor && String(1 + (calls % 2)) }, signal);
  },
  'returned objects belong to the caller': async (...args) => ({ ...(await list(...args)), items: kept }),
  'an identifier of nobody is an error': async (by, query, signal) =>
    query.identifier === 'ada' ? list(by, query, signal) : { items: [], cursor: null },
  'a wrong token is an error, whatever has been read before': async (by, query, signal) => {
    const page = cached.get(by.accountId) ?? (await list(by, query, signal));
    cached.set(by.accountId, page);
    return page;
  },
  'an aborted call ends': (by, query) => list(by, query, new AbortController().signal),
};

/** Publications by draft. */
const published = new Map<string, number>();
let drafts = 0;

const jobs: JobProvider = {
  async checkSession(by, signal) {
    requireToken(by, signal);
  },
  async editPosting(by, _posting, signal) {
    requireToken(by, signal);
  },
  async publish(by, { jobId }, _options, signal) {
    requireToken(by, signal);
    if (jobId.startsWith('otp')) return { kind: 'checkpoint', type: 'OTP', challenge: jobId };
    published.set(jobId, 1);
    return { kind: 'published', state: 'active' };
  },
  async findPublished(by, { jobId }, signal) {
    requireToken(by, signal);
    return published.has(jobId) ? 'active' : null;
  },
  async solveCheckpoint(by, _draft, _checkpoint, input, signal) {
    requireToken(by, signal);
    if (!/^\d+$/.test(input)) throw new ServiceError('invalid_parameters', { detail: 'The code has digits only.' });
    if (input !== '1234') throw new ServiceError('invalid_checkpoint_solution', { detail: 'The code is wrong.' });
    return { kind: 'published', state: 'active' };
  },
};

const unheard = new AbortController().signal;
const brokenJobs: Readonly<Record<string, Partial<JobProvider>>> = {
  'a session is valid, and an edit is accepted': { checkSession: () => Promise.reject(refused) },
  'a draft is published': { publish: async () => ({ kind: 'published', state: 'live' as 'active' }) },
  'a draft is published once': {
    async publish(by, draft, options, signal) {
      const before = published.get(draft.jobId) ?? 0;
      const step = await jobs.publish(by, draft, options, signal);
      published.set(draft.jobId, before + 1);
      return step;
    },
  },
  'what is published is found, and nothing else': { findPublished: async () => 'active' },
  'a wrong token is an error, whatever has been done before': {
    editPosting: async (_by, _posting, signal) => signal.throwIfAborted(),
  },
  'an aborted call ends': { publish: (by, draft, options) => jobs.publish(by, draft, options, unheard) },
  'a right input solves a checkpoint': { solveCheckpoint: async () => ({ kind: 'solved' }) as never },
  'a wrong input leaves a checkpoint open': {
    solveCheckpoint: (by, draft, checkpoint, _input, signal) =>
      jobs.solveCheckpoint(by, draft, checkpoint, '1234', signal),
  },
  'a malformed input is an error of its own': {
    solveCheckpoint: (by, draft, checkpoint, input, signal) =>
      jobs.solveCheckpoint(by, draft, checkpoint, input === 'abc' ? '4321' : input, signal),
  },
  'a checkpoint is solved with a valid token only, and by a call that can be aborted': {
    solveCheckpoint: (_by, draft, checkpoint, input) =>
      jobs.solveCheckpoint(session, draft, checkpoint, input, unheard),
  },
};

const newDraft = (kind: string) => () => ({ jobId: `${kind}-${++drafts}`, fields: {} });
const postCase: PostCase = {
  session,
  wrongToken: 'another-token',
  provider: posts,
  identifier: 'ada',
  unknownIdentifier: 'nobody',
};
const jobCase: JobCase = {
  session,
  wrongToken: 'another-token',
  provider: jobs,
  draft: newDraft('free'),
  publications: async ({ jobId }) => published.get(jobId) ?? 0,
  checkpoint: { draft: newDraft('otp'), input: '1234', wrongInput: '4321', malformedInput: 'abc' },
};

const kinds = [
  {
    kind: 'posts',
    good: postProviderChecks(postCase),
    broken: Object.entries(brokenPosts).map(([name, listPosts]) => ({
      name,
      checks: postProviderChecks({ ...postCase, provider: { listPosts } }),
    })),
  },
  {
    kind: 'jobs',
    good: jobProviderChecks(jobCase),
    broken: Object.entries(brokenJobs).map(([name, methods]) => ({
      name,
      checks: jobProviderChecks({ ...jobCase, provider: { ...jobs, ...methods } }),
    })),
  },
];

describe.each(kinds)('an adapter of $kind', ({ good, broken }) => {
  test.each(good)('that is right passes: $name', ({ run }) => run());

  test('is broken once for each check', () => {
    expect(broken.map(({ name }) => name)).toEqual(good.map(({ name }) => name));
  });

  test.each(broken)('that is wrong fails: $name', async ({ name, checks }) => {
    const error = await checks
      .find((check) => check.name === name)
      ?.run()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: expect.stringMatching(/^(?:AssertionError|ZodError|ServiceError)$/) });
  });
});

const failures: Readonly<Record<string, readonly [unknown, string]>> = {
  'no ServiceError': [new Error('403'), 'must be a ServiceError'],
  'an error that the contract has elsewhere': [new ServiceError('payment_error'), 'payment_error must be one of'],
  'an error of the system': [new ServiceError('provider_error'), 'must be an error of the request'],
  'the token': [
    new ServiceError('invalid_recipient', { detail: `Not for ${session.token}` }),
    'must not tell the token',
  ],
};

test.each(Object.entries(failures))('a failure with %s is wrong', async (_name, [failure, message]) => {
  const provider: PostProvider = {
    listPosts: (by, query, signal) => (query.identifier === 'ada' ? list(by, query, signal) : Promise.reject(failure)),
  };
  const check = postProviderChecks({ ...postCase, provider }).find(({ name }) => name.startsWith('an identifier of'));
  await expect(check?.run()).rejects.toThrow(message);
});

test.each([
  ['goes on', (by, query) => list(by, query, unheard), 'A call must fail when its signal has aborted'],
  [
    'never ends',
    (by, query, signal) => (signal.aborted ? new Promise(() => undefined) : list(by, query, signal)),
    'A call must end within a second when its signal aborts',
  ],
] as readonly (readonly [string, Listing, string])[])(
  'a call that %s is no aborted one',
  async (_what, listPosts, message) => {
    const checks = postProviderChecks({ ...postCase, provider: { listPosts } });
    await expect(checks.find(({ name }) => name === 'an aborted call ends')?.run()).rejects.toThrow(message);
  },
);
