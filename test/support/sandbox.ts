/** Calls of the sandbox networks, for their tests. */
import { expect } from 'vitest';
import type { JobPublish } from '../../src/capabilities/jobs/shapes.ts';
import type { Post } from '../../src/capabilities/posts/shapes.ts';
import { type ErrorName, ServiceError } from '../../src/kernel/errors.ts';
import type { NetworkPage, PostProvider, ProviderSession, PublishStep } from '../../src/providers/provider.ts';
import {
  companyJobId,
  type JobScenarioName,
  postIdentifiers,
  sandboxNetworks,
  sandboxToken,
} from '../../src/providers/sandbox/networks.ts';

const now = Date.UTC(2026, 10, 20, 12);
export const networks = sandboxNetworks({ clock: () => new Date(now) });
/** The signal of a caller that never aborts. */
export const never = new AbortController().signal;
export const sessionOf = (token: string, type: ProviderSession['type'] = 'PNET'): ProviderSession => ({
  accountId: 'a',
  type,
  token,
});
/** A session over which calls succeed. */
export const ok = sessionOf(sandboxToken('ok'));

interface ListOptions {
  readonly cursor?: string | null;
  readonly limit?: number;
  readonly isCompany?: boolean;
  readonly session?: ProviderSession;
  readonly signal?: AbortSignal;
}

export const list = (
  provider: PostProvider,
  identifier: string,
  options: ListOptions = {},
): Promise<NetworkPage<Post>> =>
  provider.listPosts(
    options.session ?? ok,
    {
      identifier,
      isCompany: options.isCompany ?? /^9\d+$/.test(identifier),
      cursor: options.cursor ?? null,
      limit: options.limit ?? 100,
    },
    options.signal ?? never,
  );

export async function all(provider: PostProvider, identifier: string, limit = 100): Promise<Post[]> {
  const posts: Post[] = [];
  let cursor: string | null = null;
  do {
    const page: NetworkPage<Post> = await list(provider, identifier, { cursor, limit });
    posts.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return posts;
}

/** The name of the error that a call fails with; every failure must be a ServiceError with a detail. */
export async function failure(call: Promise<unknown>): Promise<ErrorName | 'none'> {
  try {
    await call;
    return 'none';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.detail?.length).toBeGreaterThan(20);
    return error.errorName;
  }
}

/** An identifier of a network and its row. A row lacks what is optional; photonet's have a provider id too. */
interface IdentifierRow {
  readonly provider: PostProvider;
  readonly identifier: string;
  readonly row: {
    readonly posts?: number;
    readonly failsFrom?: number;
    readonly delayMs?: number;
    readonly fails?: ErrorName;
    readonly providerId?: string;
  };
}

export const rows: readonly IdentifierRow[] = [
  ...Object.entries(postIdentifiers.pnet).map(([identifier, row]) => ({ provider: networks.PNET, identifier, row })),
  ...Object.entries(postIdentifiers.photonet).map(([identifier, row]) => ({
    provider: networks.PHOTONET,
    identifier,
    row,
  })),
];
/** The rows whose lists can be read to their end, with nothing but posts in them. */
export const listed = rows.filter(
  ({ identifier, row }) => row.posts !== undefined && row.failsFrom === undefined && identifier !== 'ACoSandboxOdd',
);

export function publishing(mode: JobPublish['mode'] = 'FREE', bypass = false): JobPublish {
  return { mode, draft_id: '1', account_id: 'a', bypass_email_verification: bypass };
}

const publish = (name: JobScenarioName, options = publishing()): Promise<PublishStep> =>
  networks.PNET.publish(ok, { jobId: '1', fields: { company_job_id: companyJobId(name) } }, options, never);

export async function solve(name: JobScenarioName, input: string): Promise<PublishStep> {
  const step = await publish(name);
  if (step.kind !== 'checkpoint') throw new Error(`${name} opened no checkpoint`);
  return networks.PNET.solveCheckpoint(ok, { jobId: '1', fields: {} }, step, input, never);
}
