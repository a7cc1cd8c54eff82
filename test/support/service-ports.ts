import { upstreamAccounts } from '../../src/capabilities/accounts/upstream.ts';
import { upstreamJobs } from '../../src/capabilities/jobs/upstream.ts';
import { upstreamPosts } from '../../src/capabilities/posts/upstream.ts';
import { upstreamWebhooks } from '../../src/capabilities/webhooks/upstream.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { upstreamOfBodies } from './upstream-of-bodies.ts';

/** The ports of lists that come as bytes. There are no others. */
export function portsOfBodies(bodyOf: Parameters<typeof upstreamOfBodies>[0]): Ports {
  const upstream = upstreamOfBodies(bodyOf);
  const ports = {
    accounts: upstreamAccounts({ checkKey: async () => undefined, tokens: null }),
    posts: upstreamPosts(upstream),
    webhooks: upstreamWebhooks(upstream),
    jobs: upstreamJobs(upstream),
    deliveries: {},
    serviceJudges: () => true,
  };
  return ports as unknown as Ports;
}

/** Nothing can be read from them. */
export const servicePorts = portsOfBodies(() => Buffer.alloc(0));
