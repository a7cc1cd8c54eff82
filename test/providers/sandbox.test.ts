import { describe, expect, it } from 'vitest';
import { accountStatuses } from '../../src/auth/account.ts';
import { type ErrorName, errorNames, errorTable, ServiceError } from '../../src/errors.ts';
import { type CheckpointType, type JobPublish, jobStates } from '../../src/jobs/shapes.ts';
import { type PhotonetPost, type PnetPost, type Post, postShape, reactions } from '../../src/posts/shapes.ts';
import type { NetworkPage, PostProvider, ProviderSession, PublishStep } from '../../src/providers/provider.ts';
import {
  checkpointInputs,
  companyJobId,
  type JobScenarioName,
  jobScenarios,
  postIdentifiers,
  type SandboxSessionName,
  sandboxNetworks,
  sandboxSessions,
  sandboxToken,
} from '../../src/providers/sandbox/networks.ts';

const now = Date.UTC(2026, 10, 20, 12);
const networks = sandboxNetworks({ clock: () => new Date(now) });
const never = new AbortController().signal;
const sessionOf = (token: string, type: ProviderSession['type'] = 'PNET'): ProviderSession => ({
  accountId: 'a',
  type,
  token,
});
const ok = sessionOf(sandboxToken('ok'));

interface Asked {
  readonly cursor?: string | null;
  readonly limit?: number;
  readonly isCompany?: boolean;
  readonly session?: ProviderSession;
  readonly signal?: AbortSignal;
}

const list = (network: PostProvider, identifier: string, asked: Asked = {}): Promise<NetworkPage<Post>> =>
  network.listPosts(
    asked.session ?? ok,
    {
      identifier,
      isCompany: asked.isCompany ?? /^9\d+$/.test(identifier),
      cursor: asked.cursor ?? null,
      limit: asked.limit ?? 100,
    },
    asked.signal ?? never,
  );

async function all(network: PostProvider, identifier: string, limit = 100): Promise<Post[]> {
  const posts: Post[] = [];
  let cursor: string | null = null;
  do {
    const page: NetworkPage<Post> = await list(network, identifier, { cursor, limit });
    posts.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return posts;
}

const pnet = (identifier: string) => all(networks.PNET, identifier) as Promise<PnetPost[]>;
const photonet = (identifier: string) => all(networks.PHOTONET, identifier) as Promise<PhotonetPost[]>;

/** The name of the error that a call fails with; every failure must be a ServiceError that explains itself. */
async function failure(call: Promise<unknown>): Promise<ErrorName | 'none'> {
  try {
    await call;
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).detail?.length).toBeGreaterThan(20);
    return (error as ServiceError).errorName;
  }
}

const rows = Object.entries(postIdentifiers).flatMap(([network, table]) =>
  Object.entries(table).map(([identifier, row]) => ({
    network: networks[network === 'pnet' ? 'PNET' : 'PHOTONET'],
    identifier,
    row: row as { posts?: number; failsFrom?: number; delayMs?: number; fails?: ErrorName; providerId?: string },
  })),
);
const listed = rows.filter(({ row }) => row.posts !== undefined && row.failsFrom === undefined);

describe('sessions', () => {
  it('offer every error of the contract that a network, and nothing before it, can cause', () => {
    const ours = new Set<string>(Object.values(accountStatuses).map(({ failure: cause }) => cause?.errorName ?? ''));
    // What the key decides, and the mismatch of a key with an account, never reaches a network.
    const expected = errorNames.filter((name) => {
      const { status, family } = errorTable[name];
      return (
        [401, 403, 500, 503, 504].includes(status) && family !== 'key' && name !== 'account_mismatch' && !ours.has(name)
      );
    });
    expect(Object.keys(sandboxSessions)).toEqual(expect.arrayContaining(expected));
  });

  it.each(Object.keys(sandboxSessions) as SandboxSessionName[])('%s has its outcome in every call', async (name) => {
    const session = sessionOf(sandboxToken(name));
    const draft = { jobId: '1', fields: {} };
    const checkpoint = { type: 'OTP' as const, challenge: '{"scenario":"otp","remaining":[]}' };
    const calls = [
      list(networks.PNET, 'ACoSandbox1', { session }),
      list(networks.PHOTONET, 'sandbox.one', { session }),
      networks.PNET.editPosting(session, draft, never),
      networks.PNET.publish(session, draft, publishing(), never),
      networks.PNET.solveCheckpoint(session, draft, checkpoint, '123456', never),
    ];
    const expected = name === 'ok' ? 'none' : name;
    expect(await Promise.all(calls.map(failure))).toEqual(calls.map(() => expected));
  });

  it.each(['', 'ok', 'sandbox:', 'sandbox:nonsense', 'sandbox:constructor', 'sandbox:invalid_parameters'])(
    'a token %j that the sandbox does not know is an unknown authentication context',
    async (token) => {
      const session = sessionOf(token);
      expect(await failure(list(networks.PNET, 'ACoSandbox1', { session }))).toBe('unknown_authentication_context');
    },
  );
});

describe('lists of posts', () => {
  it.each(listed)(
    '$identifier: the posts are those of the contract, as many as promised, newest first',
    async (row) => {
      const posts = await all(row.network, row.identifier);
      expect(posts).toHaveLength(row.row.posts ?? -1);
      // The shape drops what the contract does not know: what it returns must be the whole post.
      for (const post of posts) expect(postShape.parse(post)).toStrictEqual(post);
      expect(new Set(posts.map(idOf)).size).toBe(posts.length);
      const times = posts.flatMap((post) => (post.provider === 'PNET' ? [Date.parse(post.parsed_datetime)] : []));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    },
  );

  it.each([1, 7, 33, 50, 99])('pages of %i put together are the same list', async (limit) => {
    for (const { network, identifier, row } of listed.filter(({ row: { delayMs } }) => delayMs === undefined)) {
      const posts = await all(network, identifier, limit);
      expect(posts).toHaveLength(row.posts ?? -1);
      expect(posts).toStrictEqual(await all(network, identifier));
    }
  });

  it('ends with a null cursor, also when the last page is exactly full', async () => {
    expect(await list(networks.PNET, 'ACoSandbox100')).toMatchObject({ cursor: null, items: { length: 100 } });
    expect(await list(networks.PNET, 'ACoSandbox0')).toEqual({ cursor: null, items: [] });
    expect((await list(networks.PNET, 'ACoSandbox100', { limit: 99 })).cursor).toBe('p:99');
    expect((await list(networks.PNET, 'ACoSandbox250', { cursor: 'p:150' })).cursor).toBe(null);
  });

  it.each(['100', 'p:', 'p:0', 'p:01', 'p:-1', 'p:250', 'p:1e1', 'p:99999999', 'p:5 ', 'q:5', ''])(
    'a cursor %j that no page handed out is unprocessable',
    async (cursor) => {
      expect(await failure(list(networks.PNET, 'ACoSandbox250', { cursor }))).toBe('unprocessable_entity');
      expect(await failure(list(networks.PHOTONET, 'sandbox.sixty', { cursor }))).toBe('unprocessable_entity');
    },
  );

  it('hands out new objects, which belong to the caller', async () => {
    for (const { network, identifier } of listed.filter(({ row: { delayMs } }) => delayMs === undefined)) {
      const before = structuredClone(await all(network, identifier));
      for (const post of await all(network, identifier)) spoil(post);
      expect(await all(network, identifier)).toStrictEqual(before);
    }
  });

  it.each(rows.filter(({ row }) => row.fails !== undefined))('$identifier fails as it says', async (row) => {
    expect(await failure(list(row.network, row.identifier))).toBe(row.row.fails);
    if (row.row.providerId) expect(await failure(list(row.network, row.row.providerId))).toBe(row.row.fails);
  });

  it('a list that breaks is whole up to where it breaks', async () => {
    for (const { network, identifier } of rows.filter(({ row }) => row.failsFrom !== undefined)) {
      const first = await list(network, identifier, { limit: 100 });
      expect(first.items).toHaveLength(100);
      expect(await failure(list(network, identifier, { cursor: first.cursor }))).toBe('provider_error');
    }
  });

  it('a slow list takes its time, unless nobody waits for it', async () => {
    const abort = new AbortController();
    const slow = [list(networks.PNET, 'ACoSandboxSlow', abort), list(networks.PHOTONET, 'sandbox.slow', abort)];
    const outcomes = Promise.all(slow.map(failure));
    abort.abort();
    expect(await outcomes).toEqual(['request_timeout', 'request_timeout']);
    expect(await failure(list(networks.PNET, 'ACoSandbox1', { signal: AbortSignal.abort() }))).toBe('request_timeout');
  });
});

describe('posts of pnet', () => {
  it.each([
    'ACo',
    'aCoSandbox1',
    'ACoSandbox1/',
    'ACoNobody',
    'ADoNobody',
    'amara-lindqvist',
    'sandbox.sixty',
    '',
    '12ab',
    'ACo\n1',
  ])('an identifier %j of nobody is an invalid recipient', async (identifier) => {
    expect(await failure(list(networks.PNET, identifier))).toBe('invalid_recipient');
  });

  it('a company is asked for as a company, and a person is not', async () => {
    expect(await failure(list(networks.PNET, '900043', { isCompany: false }))).toBe('invalid_recipient');
    expect(await failure(list(networks.PNET, '111', { isCompany: true }))).toBe('invalid_recipient');
    expect(await failure(list(networks.PNET, 'ACoSandbox1', { isCompany: true }))).toBe('invalid_recipient');
    expect((await list(networks.PNET, '900043', { isCompany: true })).items).toHaveLength(43);
  });

  it('lead on to the posts of everyone named in them', async () => {
    for (const identifier of Object.keys(postIdentifiers.pnet)) {
      const row = rows.find((candidate) => candidate.identifier === identifier)?.row;
      if (row?.posts === undefined || row.failsFrom !== undefined) continue;
      for (const post of await pnet(identifier)) {
        const people = [post.author, post.reposted_by, post.repost_content?.author, post.written_by];
        for (const person of people) if (person) expect(postIdentifiers.pnet).toHaveProperty(person.id);
        expect(post.is_repost).toBe(post.reposted_by !== undefined);
        expect(post.is_repost).toBe(post.repost_id !== undefined);
        // Whoever is listed has written the post or passed it on.
        expect([post.author.id, post.reposted_by?.id]).toContain(identifier);
        if (post.repost_content) {
          expect(post.repost_content.author.id).not.toBe(identifier);
          expect(post.repost_content.parsed_datetime < post.parsed_datetime).toBe(true);
        }
      }
    }
  });

  it('that were passed on are the same posts in the lists of their authors', async () => {
    const reposts = await pnet('ACoSandboxReposts');
    expect(new Set(reposts.map(({ author }) => author.id)).size).toBe(3);
    for (const { is_repost: _, repost_id: __, reposted_by: ___, ...original } of reposts) {
      const theirs = await pnet(original.author.id);
      expect(theirs).toContainEqual({ ...original, is_repost: false });
    }
  });

  it('say their age as the clock sees it', async () => {
    const [newest] = (await pnet('ACoSandbox1')) as [PnetPost];
    const ageAt = async (passed: number) => {
      const clock = () => new Date(Date.parse(newest.parsed_datetime) + passed);
      const page = await list(sandboxNetworks({ clock }).PNET, 'ACoSandbox1');
      expect(page.items[0]).toStrictEqual({ ...newest, date: (page.items[0] as PnetPost).date });
      return (page.items[0] as PnetPost).date;
    };
    const day = 86_400_000;
    const ages = [
      -1,
      59_999,
      60_000,
      3_599_999,
      3_600_000,
      day - 1,
      day,
      7 * day - 1,
      7 * day,
      30 * day,
      364 * day,
      730 * day,
    ];
    expect(await Promise.all(ages.map(ageAt))).toEqual(
      ['now', 'now', '1m', '59m', '1h', '23h', '1d', '6d', '1w', '1mo', '12mo', '2yr'], // biome-ignore format: one row
    );
  });

  it('mention whom they name', async () => {
    const names = Object.values(postIdentifiers.pnet).flatMap((row) => ('name' in row ? [row.name as string] : []));
    const posts = [...(await pnet('ACoSandbox250')), ...(await pnet('ACoSandboxGallery')), ...(await pnet('900043'))];
    const mentions = posts.flatMap(({ text, mentions: found }) => found.map((mention) => ({ text, ...mention })));
    expect(mentions.length).toBeGreaterThan(40);
    for (const { text, start, length } of mentions) expect(names).toContain(text.slice(start, start + length));
  });

  it('show in the gallery everything that a post can have', async () => {
    const posts = await pnet('ACoSandboxGallery');
    const attachments = posts.flatMap((post) => post.attachments);
    const kinds = new Set(attachments.map(({ type }) => type));
    expect([...kinds].toSorted()).toEqual(['audio', 'file', 'img', 'pnet_post', 'video', 'video_meeting']);
    for (const flag of ['sticker', 'gif', 'voice_note', 'unavailable']) {
      const values = attachments.flatMap((attachment) =>
        flag in attachment ? [attachment[flag as 'unavailable']] : [],
      );
      expect(new Set(values), flag).toEqual(new Set([true, false]));
    }
    expect(new Set(posts.map((post) => post.user_reacted))).toEqual(new Set([...reactions, undefined]));
    expect(new Set(posts.map((post) => post.poll?.is_open))).toEqual(new Set([true, false, undefined]));
    expect(new Set(posts.map((post) => post.group?.private))).toEqual(new Set([true, false, undefined]));
    expect(posts.flatMap((post) => post.poll?.options.filter(({ win }) => win) ?? [])).toHaveLength(1);
    for (const field of ['title', 'written_by', 'analytics', 'repost_content', 'reposted_by'] as const) {
      expect(posts.some((post) => post[field] !== undefined) && posts.some((post) => post[field] === undefined)).toBe(
        true,
      );
    }
    for (const post of posts.filter(({ poll }) => poll)) {
      const votes = post.poll?.options.reduce((sum, { votes_count }) => sum + votes_count, 0);
      expect(votes).toBe(post.poll?.total_votes_count);
    }
    expect(posts.some(({ impressions_counter }) => impressions_counter > 2 ** 31)).toBe(true);
  });

  it('do not repeat themselves much', async () => {
    const posts = await pnet('ACoSandbox250');
    expect(new Set(posts.map(({ text }) => text)).size).toBeGreaterThan(200);
    for (const { text, title } of posts) expect(`${text}${title ?? ''}`).not.toMatch(/[{}]|undefined/);
  });
});

describe('posts of photonet', () => {
  it('are found by username and by provider id alike', async () => {
    for (const [username, row] of Object.entries(postIdentifiers.photonet)) {
      if ('fails' in row || 'failsFrom' in row) continue;
      const posts = await photonet(username);
      expect(await photonet(row.providerId)).toStrictEqual(posts);
      for (const { owner } of posts) expect(owner).toMatchObject({ id: row.providerId, username });
    }
  });

  it.each([
    'nobody',
    'constructor',
    '__proto__',
    '5999999999',
    'Sandbox.Sixty',
    'a b',
    '',
    'ACoSandbox1',
    'x'.repeat(31),
  ])('an identifier %j of nobody is an invalid recipient', async (identifier) => {
    expect(await failure(list(networks.PHOTONET, identifier))).toBe('invalid_recipient');
  });

  it('have or lack each thing that a post may lack', async () => {
    const posts = await photonet('sandbox.gallery');
    const seen = (of: (post: PhotonetPost) => unknown) => new Set(posts.map(of));
    expect(seen(({ caption }) => caption?.edited)).toEqual(new Set([true, false, undefined]));
    expect(seen(({ caption }) => caption?.has_translation)).toEqual(new Set([true, false, undefined]));
    expect(seen(({ video, has_audio }) => video && has_audio)).toEqual(new Set([true, false, undefined]));
    for (const flag of ['has_liked', 'like_and_view_counts_disabled', 'comments_disabled'] as const) {
      expect(
        seen((post) => post[flag]),
        flag,
      ).toEqual(new Set([true, false]));
    }
    expect((await photonet('sandbox.video')).every(({ video }) => video !== undefined)).toBe(true);
  });
});

describe('publishing', () => {
  const promotedOnly: Partial<Record<JobScenarioName, ErrorName>> = {
    'payment-error': 'payment_error',
    'insufficient-credits': 'insufficient_credits',
  };
  const failing: Partial<Record<JobScenarioName, ErrorName>> = {
    'insufficient-job-slot': 'insufficient_job_slot',
    'already-performed': 'action_already_performed',
    unprocessable: 'unprocessable_entity',
    'invalid-account': 'invalid_account',
    configuration: 'account_configuration_error',
    'provider-error': 'provider_error',
    timeout: 'request_timeout',
  };

  it.each(['publish', 'review', 'paused', 'closed', 'draft', 'slow'] as const)('%s publishes at once', async (name) => {
    const state = {
      publish: 'active',
      slow: 'active',
      review: 'review',
      paused: 'paused',
      closed: 'closed',
      draft: 'draft',
    }[name];
    expect(await publish(name)).toEqual({ kind: 'published', state });
  });

  it('reaches every state', () => {
    const states = Object.values(jobScenarios).map((scenario) => ('state' in scenario ? scenario.state : 'active'));
    expect(new Set(states)).toEqual(new Set(jobStates));
  });

  it.each([undefined, '', 'REQ-42', 'sandboxing'])('a company_job_id %j that is none of ours publishes', async (id) => {
    const draft = { jobId: '1', fields: id === undefined ? {} : { company_job_id: id } };
    expect(await networks.PNET.publish(ok, draft, publishing(), never)).toEqual({ kind: 'published', state: 'active' });
  });

  it.each(['sandbox:', 'sandbox:nonsense', 'sandbox:toString'])(
    'a scenario %j that there is not names those there are',
    async (id) => {
      const draft = { jobId: '1', fields: { company_job_id: id } };
      const attempt = networks.PNET.publish(ok, draft, publishing(), never);
      await expect(attempt).rejects.toMatchObject({
        errorName: 'invalid_parameters',
        detail: expect.stringContaining('email-then-otp'),
        issues: [{ path: ['company_job_id'] }],
      });
      // EDIT answers no 400.
      expect(await failure(networks.PNET.editPosting(ok, draft, never))).toBe('unprocessable_entity');
    },
  );

  it('fails in the modes that the scenario names', async () => {
    expect(await failure(publish('not-free'))).toBe('invalid_parameters');
    expect(await failure(publish('not-free', publishing('PROMOTED')))).toBe('none');
    expect(await failure(publish('not-free', publishing('PROMOTED_PLUS')))).toBe('none');
    for (const [name, error] of Object.entries(promotedOnly) as [JobScenarioName, ErrorName][]) {
      expect(await failure(publish(name))).toBe('none');
      expect(await failure(publish(name, publishing('PROMOTED')))).toBe(error);
      expect(await failure(publish(name, publishing('PROMOTED_PLUS')))).toBe(error);
    }
    for (const [name, error] of Object.entries(failing) as [JobScenarioName, ErrorName][]) {
      for (const mode of ['FREE', 'PROMOTED', 'PROMOTED_PLUS'] as const) {
        expect(await failure(publish(name, publishing(mode)))).toBe(error);
      }
    }
  });

  it('walks through the checkpoints of a scenario', async () => {
    expect(await walk('otp')).toEqual(['OTP', 'active']);
    expect(await walk('otp-review')).toEqual(['OTP', 'review']);
    expect(await walk('email')).toEqual(['EMAIL_VERIFICATION', 'active']);
    expect(await walk('email-then-otp')).toEqual(['EMAIL_VERIFICATION', 'OTP', 'active']);
    expect(await walk('otp-then-email')).toEqual(['OTP', 'EMAIL_VERIFICATION', 'active']);
    expect(await walk('otp-twice')).toEqual(['OTP', 'OTP', 'active']);
  });

  it('skips e-mail verification, and nothing else, where it is bypassed', async () => {
    expect(await walk('email', true)).toEqual(['active']);
    expect(await walk('email-then-otp', true)).toEqual(['OTP', 'active']);
    expect(await walk('otp-then-email', true)).toEqual(['OTP', 'active']);
    expect(await walk('otp', true)).toEqual(['OTP', 'active']);
  });

  it.each(Object.entries(checkpointInputs.OTP))('the code %s is %s', async (code, outcome) => {
    expect(await failure(solve('otp', code))).toBe(outcome === 'accepted' ? 'none' : outcome);
  });

  it('tells a wrong code from what is no code', async () => {
    for (const code of ['0000', '654321', '12345678'])
      expect(await failure(solve('otp', code))).toBe('invalid_checkpoint_solution');
    for (const code of ['123', '123456789', 'abcdef', '12 456', '١٢٣٤٥٦', 'sandbox:provider_error', 'constructor']) {
      expect(await failure(solve('otp', code))).toBe('invalid_parameters');
    }
  });

  it('takes its e-mail token, knows an old one, and has every outcome of a session', async () => {
    expect(await failure(solve('email', 'sandbox-email-token'))).toBe('none');
    expect(await failure(solve('email', 'sandbox-expired-token'))).toBe('expired_link');
    for (const token of ['123456', 'nonsense', 'sandbox:ok', 'sandbox:nonsense', 'constructor']) {
      expect(await failure(solve('email', token))).toBe('invalid_checkpoint_solution');
    }
    for (const name of Object.keys(sandboxSessions).filter((session) => session !== 'ok')) {
      expect(await failure(solve('email', `sandbox:${name}`))).toBe(name);
    }
  });

  it('cannot solve the unsolvable, whatever the input', async () => {
    expect(await failure(solve('checkpoint-unsolvable', '123456'))).toBe('checkpoint_error');
    expect(await failure(solve('checkpoint-unsolvable', 'x'))).toBe('checkpoint_error');
  });

  it.each(['', 'null', '7', '{}', '{"scenario":"nope","remaining":[]}', '{"scenario":"otp","remaining":["SMS"]}'])(
    'does not know a challenge %j that it did not write',
    async (challenge) => {
      const draft = { jobId: '1', fields: {} };
      const attempt = networks.PNET.solveCheckpoint(ok, draft, { type: 'OTP', challenge }, '123456', never);
      expect(await failure(attempt)).toBe('checkpoint_error');
    },
  );

  it('says the same when it is asked again', async () => {
    expect(await publish('email-then-otp')).toEqual(await publish('email-then-otp'));
  });
});

describe('editing', () => {
  const failing: Partial<Record<JobScenarioName, ErrorName>> = {
    'edit-unprocessable': 'unprocessable_entity',
    'edit-not-allowed': 'action_already_performed',
    'edit-configuration': 'account_configuration_error',
    'edit-provider-error': 'provider_error',
    'edit-timeout': 'request_timeout',
  };

  it.each(Object.keys(jobScenarios) as JobScenarioName[])('%s: fails only if it is about editing', async (name) => {
    const posting = { jobId: '1', fields: { company_job_id: companyJobId(name) } };
    expect(await failure(networks.PNET.editPosting(ok, posting, never))).toBe(failing[name] ?? 'none');
    if (failing[name]) expect(await failure(publish(name))).toBe('none');
  });
});

function publishing(mode: JobPublish['mode'] = 'FREE', bypass = false): JobPublish {
  return { mode, draft_id: '1', account_id: 'a', bypass_email_verification: bypass };
}

const publish = (name: JobScenarioName, options = publishing()): Promise<PublishStep> =>
  networks.PNET.publish(ok, { jobId: '1', fields: { company_job_id: companyJobId(name) } }, options, never);

async function solve(name: JobScenarioName, input: string): Promise<PublishStep> {
  const step = await publish(name);
  if (step.kind !== 'checkpoint') throw new Error(`${name} opened no checkpoint`);
  return networks.PNET.solveCheckpoint(ok, { jobId: '1', fields: {} }, step, input, never);
}

/** Publishes and answers every checkpoint: their types, then the state. */
async function walk(name: JobScenarioName, bypass = false): Promise<string[]> {
  const solutions: Record<CheckpointType, string> = { OTP: '123456', EMAIL_VERIFICATION: 'sandbox-email-token' };
  const way: string[] = [];
  let step = await publish(name, publishing('FREE', bypass));
  while (step.kind === 'checkpoint') {
    way.push(step.type);
    step = await networks.PNET.solveCheckpoint(ok, { jobId: '1', fields: {} }, step, solutions[step.type], never);
  }
  return [...way, step.state];
}

/** The id by which a client keeps a post. */
const idOf = (post: Post) => (post.provider === 'PNET' ? post.id : post.provider_id);

/** Overwrites every value in an object, at every depth. */
function spoil(value: object): void {
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && inner !== null) spoil(inner);
    else Reflect.set(value, key, 'spoilt');
  }
}
