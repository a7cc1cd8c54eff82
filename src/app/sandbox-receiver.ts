/** The receiver of the sandbox, in the place of the network. */
import { timeOfId } from '../kernel/ids.ts';
import { second } from '../kernel/lib/time-units.ts';
import type { Outbound, OutboundPost } from '../net/outbound.ts';
import { receiverHost, receiverResponse } from '../providers/sandbox/receiver.ts';

/** Answers for the receiver of the sandbox, and reaches no network for it. */
export const withSandboxReceiver = (outbound: Outbound): Outbound => ({
  async post(request) {
    if (request.url.hostname !== receiverHost) return outbound.post(request);
    return receiverResponse(request.url.pathname, ageOf(request));
  },
  close: () => outbound.close(),
});

/** Milliseconds from the creation of the delivery to the attempt. */
function ageOf({ headers }: OutboundPost): number {
  const header = (name: string) => headers[headers.indexOf(name) + 1] ?? '';
  return Number(header('webhook-timestamp')) * second - timeOfId(header('webhook-id'));
}
