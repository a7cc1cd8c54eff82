import { describe, expect, it } from 'vitest';
import type { Post } from '../../src/posts/shapes.ts';
import type { NetworkPage, Networks, PostQuery, Session } from '../../src/providers/provider.ts';
import { sandboxNetworks } from '../../src/providers/sandbox/networks.ts';
import { withDeadlines } from '../../src/providers/with-deadlines.ts';

const session: Session = { accountId: 'a', type: 'PNET', token: 'sandbox:ok' };
const query: PostQuery = { identifier: 'ACoSandbox1', isCompany: false, cursor: null, limit: 10 };
const sandbox = sandboxNetworks({ clock: () => new Date('2026-11-20T12:00:00Z') });

/** A network whose posts never come; it tells of the signal that it was given. */
function silent(told: (signal: AbortSignal) => void): Networks {
  const listPosts = (_session: Session, _query: PostQuery, signal: AbortSignal) => {
    told(signal);
    return new Promise<NetworkPage<Post>>(() => {});
  };
  return { ...sandbox, pnet: { ...sandbox.pnet, listPosts } };
}

describe('deadlines of networks', () => {
  it('end a call that is not answered, and abort it', async () => {
    let given: AbortSignal | undefined;
    const { pnet } = withDeadlines(
      silent((signal) => {
        given = signal;
      }),
      5,
    );
    await expect(pnet.listPosts(session, query, new AbortController().signal)).rejects.toMatchObject({
      errorName: 'request_timeout',
    });
    expect(given?.aborted).toBe(true);
  });

  it('leave an answer in time, and a failure, as they are', async () => {
    const { pnet } = withDeadlines(sandbox, 1_000);
    const { signal } = new AbortController();
    expect((await pnet.listPosts(session, query, signal)).items).toHaveLength(1);
    await expect(
      pnet.listPosts(session, { ...query, identifier: 'ACoSandboxNetworkDown' }, signal),
    ).rejects.toMatchObject({ errorName: 'network_down' });
  });

  it("pass the caller's own signal on", async () => {
    const caller = new AbortController();
    let given: AbortSignal | undefined;
    const { pnet } = withDeadlines(
      silent((signal) => {
        given = signal;
      }),
      1_000,
    );
    const call = pnet.listPosts(session, query, caller.signal);
    caller.abort();
    expect(given?.aborted).toBe(true);
    call.catch(() => {});
  });
});
