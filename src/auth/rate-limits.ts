import { createRateLimits } from './rate-limit.ts';
import type { RateLimitsContext } from './rate-limit-settlement.ts';

/** 0 stands for no limit. */
interface RateLimitSettings {
  readonly requestsPerMinute: number;
  readonly wrongKeysPerMinute: number;
  readonly keylessPerMinute: number;
  readonly eventsPerSecond: number;
  readonly eventBytesPerSecond: number;
  readonly deliveriesPerSecond: number;
}

/** Seconds over which limits per second are counted, so that work can come in bursts. */
export const burstSeconds = 10;

export function rateLimits(settings: RateLimitSettings, context: RateLimitsContext) {
  const { limit, close } = createRateLimits(context);
  const byMinute = (name: string, quota: number, what: string, lazy = false) =>
    limit({ name, quota, seconds: 60, what, lazy });
  const bySecond = (name: string, quota: number, what: string) =>
    limit({ name, quota: quota * burstSeconds, seconds: burstSeconds, what });
  return {
    requests: byMinute('requests', settings.requestsPerMinute, 'requests with this API key'),
    wrongKeys: byMinute(
      'wrong-keys',
      settings.wrongKeysPerMinute,
      'requests with wrong API keys from this address',
      true,
    ),
    keyless: byMinute('keyless', settings.keylessPerMinute, 'requests without an API key from this address', true),
    events: bySecond('events', settings.eventsPerSecond, 'events of this workspace'),
    eventBytes: bySecond('event-bytes', settings.eventBytesPerSecond, 'bytes of events of this workspace'),
    deliveries: bySecond('deliveries', settings.deliveriesPerSecond, 'deliveries of this workspace'),
    close,
  };
}
