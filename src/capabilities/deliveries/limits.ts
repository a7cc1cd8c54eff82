/** Limits of a workspace, around the commands that create work for the delivery engine. */
import type { RateLimit } from '../../auth/rate-limit.ts';
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
  type Command = (typeof commands)[keyof Commands];
  const limited =
    <Run extends Command>(run: Run, eventCost: 0 | 1, deliveriesOf: (result: Awaited<ReturnType<Run>>) => number) =>
    async (...[context, request]: Parameters<Run>): Promise<Awaited<ReturnType<Run>>> => {
      const { workspaceId } = context.caller;
      await deliveries.take(workspaceId, 0);
      if (eventCost > 0) await events.take(workspaceId, eventCost);
      // The compiler does not see that a command takes its own parameters.
      const result = (await run(context, request as never)) as Awaited<ReturnType<Run>>;
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
