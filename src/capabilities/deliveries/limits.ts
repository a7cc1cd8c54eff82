/** Limits of a workspace, around the commands that create work for the delivery engine. */
import type { RateLimit } from '../../auth/rate-limit.ts';
import type { RequestContext } from '../../kernel/request-context.ts';
import type { DeliveriesPort } from './port.ts';
import type { EventEmitted } from './shapes.ts';

/** Both by workspace. */
export interface DeliveryRateLimits {
  readonly events: RateLimit;
  /** Charged afterwards, when their number is known: a workspace in debt waits. */
  readonly deliveries: RateLimit;
}

type Commands = Pick<DeliveriesPort, 'emit' | 'fireTrigger' | 'sendTest' | 'redeliver' | 'redeliverAll'>;

/** Commands that throw `service_unavailable` beyond their workspace's limits. */
export function limitedCommands(commands: Commands, { events, deliveries }: DeliveryRateLimits): Commands {
  const limited =
    <Request, Result>(
      run: (context: RequestContext, request: Request) => Promise<Result>,
      eventCost: 0 | 1,
      deliveriesOf: (result: Result) => number,
    ) =>
    async (context: RequestContext, request: Request): Promise<Result> => {
      const { workspaceId } = context.caller;
      await deliveries.take(workspaceId, 0);
      if (eventCost > 0) await events.take(workspaceId, eventCost);
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

/** A repeated emission creates none. */
const created = ({ repeated, delivery_ids }: EventEmitted) => (repeated ? 0 : delivery_ids.length);
