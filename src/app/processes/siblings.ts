/** The other processes behind one address, as one of them knows them: through the primary. */
import cluster from 'node:cluster';
import type { RateLimitStore } from '../../auth/rate-limit-settlement.ts';
import { within } from '../../kernel/lib/abort-signal.ts';
import type { Channel, ChannelListener, Channels } from '../../store/channel-messages.ts';
import { metricsType, type Scrape } from '../../telemetry/telemetry.ts';
import { type CallsOfMember, type CallsOfPrimary, callsVersion, openCalls, type Peer } from './calls.ts';

/** Milliseconds after which a process that got a signal stops without a word of the primary. */
const claimMs = 1_000;

export type Siblings = NonNullable<Awaited<ReturnType<typeof joinProcesses>>>;

/** @param of the number of processes that there should be. @returns null in the primary */
export async function joinProcesses(of: number) {
  if (cluster.isPrimary) return null;
  // The primary's: a signal to the whole group would end all at once.
  process.on('SIGHUP', () => undefined);
  const listeners = new Map<Channel, ChannelListener[]>();
  let serving = 0;
  let ownMetrics: (() => Promise<Scrape>) | null = null;
  let leave = (): void => process.exit(0);
  const call = openCalls<CallsOfMember, CallsOfPrimary>(process as Peer, {
    receive({ channel, text }) {
      for (const { onMessage } of listeners.get(channel) ?? []) onMessage(text);
    },
    scrape: async () => (await ownMetrics?.())?.body ?? '',
    count(processes) {
      serving = processes;
    },
    leave: () => leave(),
  });
  const { signInToken } = await call('join', callsVersion);
  const channels: Channels = {
    subscribe(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      listener.onConnected?.();
    },
    send: (_database, messages) => call('announce', messages),
    close: async () => undefined,
  };
  const rateLimits: RateLimitStore = {
    add: async (grants, now) => new Map(await call('grant', { grants: [...grants], now })),
  };
  return {
    /** Whether it is the first one, which tells people where the gateway is. */
    isFirst: cluster.worker?.id === 1,
    /** Messages of a database that passes on none. */
    channels,
    /** Rate limits of a gateway without a database. */
    rateLimits,
    /** The token of the link that the first process prints; whichever process is asked claims it, once. */
    signIn: { token: signInToken, claim: () => call('claimSignIn') },
    /** Metrics of all processes. @param own of this process */
    scrapeAll(own: () => Promise<Scrape>): () => Promise<Scrape> {
      ownMetrics = own;
      return async () => ({ contentType: metricsType, body: await call('scrapeAll') });
    },
    /** What `/readyz` says if fewer serve than should. */
    remarks: () => (serving < of ? { processes: `${serving} of ${of}` } : {}),
    /** Tells the primary that this process answers requests. */
    serves: () => call('serve'),
    /** @returns whether another process takes this one's place first; false where all stop. Rejects where no primary answers */
    claimSuccessor: () => within(claimMs, call('claimSuccessor'), 'The primary took too long'),
    /** @param stop runs when another process has taken this one's place */
    onLeave(stop: () => void) {
      leave = stop;
    },
  };
}
