/**
 * A receiver of webhooks that exists nowhere: the gateway itself answers for it. Its path chooses the response, as
 * identifiers choose posts. It is stateless too: whether a delivery is repeated shows in its age.
 */
import { second } from '../../kernel/lib/time-units.ts';

/** `.example` is of nobody (RFC 2606): without the sandbox the name is not found. */
export const receiverHost = 'receiver.sandbox.example';

interface ReceiverResponse {
  readonly status: number | null;
  readonly failure: 'connection_failed' | 'timeout' | null;
  readonly retryAfter: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Behaviour {
  readonly description: string;
  /** @param age of the delivery at the attempt, in milliseconds */
  readonly respond: (age: number) => ReceiverResponse;
}

const response = (status: number, text: string, retryAfter: string | null = null): ReceiverResponse => ({
  status,
  failure: null,
  retryAfter,
  headers: { 'content-type': 'text/plain', ...(retryAfter !== null && { 'retry-after': retryAfter }) },
  body: Buffer.from(text),
});
const noResponse = (failure: 'connection_failed' | 'timeout') => (): ReceiverResponse => ({
  status: null,
  failure,
  retryAfter: null,
  headers: {},
  body: Buffer.alloc(0),
});
const received = response(200, 'The sandbox has received it.');

/** The age from which a delivery has been retried: the first wait is four seconds at least, and a timestamp has whole seconds. */
const retriedFrom = 3 * second;
const waitedFrom = 9 * second;

export const receiverPaths = {
  ok: { description: 'Receives every delivery.', respond: () => received },
  flaky: {
    description: 'Responds 503 to a new delivery, and receives it when it is retried.',
    respond: (age) => (age < retriedFrom ? response(503, 'The sandbox is away for a moment.') : received),
  },
  busy: {
    description: 'Responds 429 to a new delivery, with `Retry-After: 10`, and receives it after that.',
    respond: (age) => (age < waitedFrom ? response(429, 'The sandbox asks for less.', '10') : received),
  },
  failing: {
    description: 'Responds 500 to every attempt.',
    respond: () => response(500, 'The sandbox fails by design.'),
  },
  gone: {
    description: 'Responds 410: the delivery fails at once, and the webhook is disabled.',
    respond: () => response(410, 'The sandbox is gone by design.'),
  },
  timeout: {
    description: 'Does not respond: every attempt is a timeout, immediately.',
    respond: noResponse('timeout'),
  },
  down: { description: 'Cannot be reached: the connection fails.', respond: noResponse('connection_failed') },
} as const satisfies Readonly<Record<string, Behaviour>>;

export type ReceiverPath = keyof typeof receiverPaths;

export const receiverUrl = (path: ReceiverPath): string => `https://${receiverHost}/${path}`;

const behaviours: Readonly<Record<string, Behaviour>> = receiverPaths;

/**
 * The response at a path such as `/ok`; 404 at any other.
 * @param age of the delivery at the attempt, in milliseconds
 */
export function receiverResponse(path: string, age: number): ReceiverResponse {
  const name = path.slice(1);
  const behaviour = Object.hasOwn(behaviours, name) ? behaviours[name] : undefined;
  return behaviour?.respond(age) ?? response(404, 'The sandbox has no such receiver.');
}
