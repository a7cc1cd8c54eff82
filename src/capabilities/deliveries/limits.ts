/** Limits of a workspace, around the commands that create work for the delivery engine. */
import type { RateLimit } from '../../auth/rate-limit.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { rowBytes, type StoredBytes } from '../../store/stored-bytes.ts';
import type { DeliveriesPort } from './port.ts';
import type { EventEmitted } from './shapes.ts';

/** All by workspace. */
export interface DeliveryRateLimits {
  readonly events: RateLimit;
  /** Of events. */
  readonly eventBytes: RateLimit;
  /** Charged afterwards, when their number is known: a workspace in debt waits. */
  readonly deliveries: RateLimit;
}

type Commands = Pick<DeliveriesPort, 'emit' | 'fireTrigger' | 'sendTest' | 'redeliver' | 'redeliverAll'>;

/** Commands that throw `service_unavailable` beyond their workspace's rates, and `action_required` beyond its quota. */
export function limitedCommands(
  commands: Commands,
  { events, eventBytes, deliveries }: DeliveryRateLimits,
  storedBytes: Pick<StoredBytes, 'requireRoom'>,
): Commands {
  const limited =
    <Request extends object, Result>(
      run: (context: RequestContext, request: Request) => Promise<Result>,
      eventCost: 0 | 1,
      deliveriesOf: (result: Result) => number,
    ) =>
    async (context: RequestContext, request: Request): Promise<Result> => {
      const { workspaceId } = context.caller;
      await deliveries.take(workspaceId, 0);
      // Of redeliveries the attempts are stored.
      await storedBytes.requireRoom(workspaceId);
      if (eventCost > 0) {
        await events.take(workspaceId, eventCost);
        await eventBytes.take(workspaceId, bytesOf(request));
      }
      const result = await run(context, request);
      deliveries.charge(workspaceId, deliveriesOf(result));
      return result;
    };
  return {
    emit: limited(commands.emit, 1, created),
    fireTrigger: limited(commands.fireTrigger, 1, created),
    sendTest: limited(commands.sendTest, 1, created),
    redeliver: limited(commands.redeliver, 0, () => 1),
    redeliverAll: limited(commands.redeliverAll, 0, ({ count }) => count),
  };
}

/** Of an event that is to be stored: only that of `emitEvent` has data of the caller. */
const bytesOf = (request: object): number =>
  rowBytes + ('data' in request ? Buffer.byteLength(JSON.stringify(request.data) ?? '') : 0);

/** A repeated emission creates none. */
const created = ({ repeated, delivery_ids }: EventEmitted) => (repeated ? 0 : delivery_ids.length);
