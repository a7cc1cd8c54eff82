import { describe, expect, it } from 'vitest';
import type { Post } from '../../src/capabilities/posts/shapes.ts';
import type { NetworkPage, PostProvider, PostQuery, ProviderSession } from '../../src/providers/provider.ts';
import { sandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { withDeadlines } from '../../src/providers/with-deadlines.ts';

const session: ProviderSession = { accountId: 'a', type: 'PNET', token: 'sandbox:ok' };
const query: PostQuery = { identifier: 'ACoSandbox1', isCompany: false, cursor: null, limit: 10 };
const sandbox = sandboxNetworks({ clock: () => new Date('2026-11-20T12:00:00Z') });
const timeout = { errorName: 'request_timeout' };

/** An adapter whose posts never come, whatever its signal does. It is a class, and its instances are frozen. */
class SilentProvider implements PostProvider {
  readonly given: AbortSignal[] = [];

  constructor() {
    Object.freeze(this);
  }

  listPosts(_session: ProviderSession, _query: PostQuery, signal: AbortSignal): Promise<NetworkPage<Post>> {
    this.given.push(signal);
    return new Promise(() => {});
  }
}

describe('a deadline', () => {
  it('ends a call that gets no response, and aborts its signal', async () => {
    const silent = new SilentProvider();
    const { PHOTONET } = withDeadlines(Object.freeze({ PHOTONET: silent }), 5);
    await expect(PHOTONET.listPosts(session, query, new AbortController().signal)).rejects.toMatchObject(timeout);
    expect(silent.given.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('is around every method of an adapter, one that this gateway does not know included', async () => {
    const never = (_signal: AbortSignal) => new Promise<void>(() => {});
    const { CLIPNET } = withDeadlines({ CLIPNET: { listClips: never, name: 'clipnet' } }, 5);
    await expect(CLIPNET.listClips(new AbortController().signal)).rejects.toMatchObject(timeout);
    expect(CLIPNET.name).toBe('clipnet');
  });

  it('leaves a response in time, and a failure, as they are', async () => {
    const { PNET } = withDeadlines(sandbox, 1_000);
    const { signal } = new AbortController();
    expect((await PNET.listPosts(session, query, signal)).items).toHaveLength(1);
    await expect(
      PNET.listPosts(session, { ...query, identifier: 'ACoSandboxNetworkDown' }, signal),
    ).rejects.toMatchObject({ errorName: 'network_down' });
  });

  it('ends a call as soon as its caller aborts, even if the adapter ignores that', async () => {
    const silent = new SilentProvider();
    const { PHOTONET } = withDeadlines({ PHOTONET: silent }, 600_000);
    const caller = new AbortController();
    const call = PHOTONET.listPosts(session, query, caller.signal);
    expect(silent.given.map(({ aborted }) => aborted)).toEqual([false]);
    caller.abort();
    expect(silent.given.map(({ aborted }) => aborted)).toEqual([true]);
    await expect(call).rejects.toMatchObject(timeout);
    await expect(PHOTONET.listPosts(session, query, caller.signal)).rejects.toMatchObject(timeout);
  });

  it('needs the signal as the last argument', () => {
    const { PHOTONET } = withDeadlines({ PHOTONET: { listPosts: async (_identifier: string) => [] } });
    expect(() => PHOTONET.listPosts('sandbox.one')).toThrow('The last argument of listPosts must be a signal');
  });
});
