/** Limits of a workspace, around the commands that create work for the delivery engine. */
import type { RateLimit } from '../../auth/rate-limit.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import { rowBytes, type StoredBytes } from '../../store/stored-bytes.ts';
import type { DeliveriesPort } from './port.ts';
import type { EventEmitted } from './shapes.ts';

/** All by workspace. */
export interface DeliveryRateLimits {
  readonly events: RateLimit;
  /** Rate of the bytes of events. */
  readonly eventBytes: RateLimit;
  /** Charged afterwards, when their number is known: a workspace in debt waits. */
  readonly deliveries: RateLimit;
}

type Commands = Pick<DeliveriesPort, 'emit' | 'fireTrigger' | 'sendTest' | 'redeliver' | 'redeliverAll'>;

/** Room for attempts, which are stored. @throws ServiceError `service_unavailable`, or `action_required` */
export async function takeRoom(
  { deliveries }: Pick<DeliveryRateLimits, 'deliveries'>,
  storedBytes: Pick<StoredBytes, 'requireRoom'>,
  workspaceId: string,
): Promise<void> {
  await deliveries.take(workspaceId, 0);
  await storedBytes.requireRoom(workspaceId);
}

/** One of so many bytes. @throws ServiceError `service_unavailable`, or `content_too_large` */
export async function takeEvent(
  { events, eventBytes }: Pick<DeliveryRateLimits, 'events' | 'eventBytes'>,
  workspaceId: string,
  bytes: number,
): Promise<void> {
  await events.take(workspaceId, 1);
  await eventBytes.take(workspaceId, bytes);
}

/** Commands that throw `service_unavailable` beyond their workspace's rates, and `action_required` beyond its quota. */
export function limitedCommands(
  commands: Commands,
  limits: DeliveryRateLimits,
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
      await takeRoom(limits, storedBytes, workspaceId);
      if (eventCost > 0) await takeEvent(limits, workspaceId, bytesOf(request));
      const result = await run(context, request);
      limits.deliveries.charge(workspaceId, deliveriesOf(result));
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

/** Size of a command's event: only that of `emitEvent` has data of the caller. */
const bytesOf = (request: object): number =>
  rowBytes + ('data' in request ? Buffer.byteLength(JSON.stringify(request.data) ?? '') : 0);

/** A repeated emission creates none. */
const created = ({ repeated, delivery_ids }: EventEmitted) => (repeated ? 0 : delivery_ids.length);
