import type { Metrics } from '../telemetry/telemetry.ts';
import type { LaneLimits, Lanes } from './lanes.ts';

export function observeQueue(
  metrics: Metrics | null,
  {
    lanes,
    limits,
    leases,
    outcomes,
  }: {
    readonly lanes: Lanes;
    readonly limits: LaneLimits;
    readonly leases: { readonly size: number };
    readonly outcomes: { readonly size: number; readonly unstored: number; readonly unstoredMs: number };
  },
): void {
  metrics?.observe('postern.delivery.requests', () => [
    [lanes.sending, { state: 'sending' }],
    [lanes.queued, { state: 'queued' }],
    [outcomes.size - outcomes.unstored, { state: 'settling' }],
    [outcomes.unstored, { state: 'unstored' }],
  ]);
  metrics?.observe('postern.delivery.unstored.age', () => [[outcomes.unstoredMs / 1_000, {}]]);
  metrics?.observe('postern.delivery.slots', () => [[lanes.slots, {}]]);
  metrics?.observe('postern.delivery.leases', () => [[leases.size, {}]]);
  metrics?.observe('postern.delivery.lanes', () => {
    const known = lanes.limits();
    const narrowed = known.filter((limit) => limit < limits.initial).length;
    return [
      [known.length - narrowed, { state: 'open' }],
      [narrowed, { state: 'narrowed' }],
    ];
  });
}
