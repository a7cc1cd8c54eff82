/** The network: destinations that answer, or do not, and the door to them that the engine posts through. */
import { LookupFailure } from '../../src/net/dns/lookup.ts';
import type { Outbound, OutboundPost, OutboundResponse } from '../../src/net/outbound.ts';
import { failureReasonOf } from '../../src/net/transport-failure.ts';
import type { Random } from '../support/random.ts';

interface Reply {
  /** Milliseconds until the response has arrived; infinity if none does. */
  readonly ms: number;
  readonly status?: number;
  readonly retryAfter?: string;
  readonly error?: Error;
  readonly isRejected?: boolean;
}

const coded = (code: string) => Object.assign(new Error(code), { code });
const retryAfters = ['0', '7', '90', '600', '7200', '86400', 'soon'];

export const behaviourNames = [
  'good',
  'slow',
  'hangs',
  'fails',
  'overloaded',
  'asksForTime',
  'refuses',
  'breaksOff',
  'losesAnswers',
  'nameless',
  'hasNoNameServer',
  'gone',
  'fades',
  'cannotBeSentTo',
  'changes',
] as const;

/** How a destination behaves. */
export type Behaviour = (typeof behaviourNames)[number];

/** What it replies to a request. */
const replies: Readonly<Record<Behaviour, (random: Random) => Reply>> = {
  good: (random) => ({ ms: 1 + random.int(200), status: random.pick([200, 201, 204, 299]) }),
  slow: (random) => ({ ms: 1_000 + random.int(13_900), status: 200 }),
  hangs: () => ({ ms: Number.POSITIVE_INFINITY }),
  fails: (random) => ({ ms: 1 + random.int(300), status: random.pick([500, 404, 301, 199, 300, 400, 401]) }),
  overloaded: (random) => ({
    ms: 1 + random.int(50),
    status: random.pick([429, 502, 503, 504]),
    ...(random.chance(0.6) ? { retryAfter: random.pick(retryAfters) } : {}),
  }),
  asksForTime: (random) => ({ ms: 5, status: 500, retryAfter: random.pick(retryAfters) }),
  refuses: () => ({ ms: 1, error: coded('ECONNREFUSED') }),
  breaksOff: (random) => ({ ms: random.int(2_000), status: 200, error: coded('ECONNRESET') }),
  /** The request arrives, and its answer is lost. */
  losesAnswers: (random) => ({ ms: random.int(100), error: coded('UND_ERR_SOCKET') }),
  nameless: () => ({ ms: 5, error: new LookupFailure('ENOTFOUND', 'simulated') }),
  hasNoNameServer: () => ({ ms: 5_000, error: new LookupFailure('EAI_AGAIN', 'simulated') }),
  gone: () => ({ ms: 10, status: 410 }),
  fades: (random) => ({ ms: 1 + random.int(5), status: random.pick([200, 410, 500]) }),
  /** A fault of the gateway's own, which shows some time after the attempt has begun. */
  cannotBeSentTo: (random) => ({ ms: 1 + random.int(300), isRejected: true }),
  changes: (random) =>
    replies[random.pick(['good', 'slow', 'hangs', 'fails', 'overloaded', 'losesAnswers'] as const)](random),
};

export interface Network {
  /** The destinations by the hosts of their URLs. */
  readonly behaviours: Map<string, Behaviour>;
  /** The door to the network of a process. */
  outbound(user: NetworkUser): Outbound;
}

/** The process that posts. */
export interface NetworkUser {
  /** Runs work in so many milliseconds, unless the process has died by then. */
  in(ms: number, work: () => void): void;
  began(request: SentRequest): void;
  ended(request: SentRequest, response: OutboundResponse): void;
}

export interface SentRequest {
  readonly deliveryId: string;
  readonly host: string;
  readonly behaviour: Behaviour;
  readonly post: OutboundPost;
}

export function createNetwork(random: Random): Network {
  const known = new Map<string, Behaviour>();
  return {
    behaviours: known,
    outbound: (user) => ({
      post(post) {
        const behaviour = known.get(post.url.hostname) ?? 'good';
        const deliveryId = post.headers[post.headers.indexOf('webhook-id') + 1] ?? '';
        const request: SentRequest = { deliveryId, host: post.url.hostname, behaviour, post };
        const reply = replies[behaviour](random);
        user.began(request);
        return new Promise((resolve, reject) => {
          let isOver = false;
          const end = (endsAfterMs: number) => {
            if (isOver) return;
            isOver = true;
            const response = responseOf(reply, endsAfterMs);
            user.ended(request, response);
            if (reply.isRejected) reject(new Error('simulated'));
            else resolve(response);
          };
          user.in(Math.min(reply.ms, post.deadlineMs), () => end(post.deadlineMs));
          post.signal?.addEventListener('abort', () => user.in(0, () => end(-1)), { once: true });
        });
      },
      close: async () => {},
    }),
  };
}

function responseOf({ ms, status, retryAfter, error }: Reply, deadlineMs: number): OutboundResponse {
  if (ms > deadlineMs)
    return { status: null, failure: 'timeout', retryAfter: null, headers: {}, body: Buffer.alloc(0) };
  return {
    status: status ?? null,
    failure: error === undefined ? null : failureReasonOf(error),
    retryAfter: retryAfter ?? null,
    headers: { server: 'simulated' },
    body: Buffer.from('a response'),
  };
}
