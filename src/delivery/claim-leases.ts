import type { Clock } from '../kernel/lib/time-units.ts';
import type { ClaimedDelivery } from './queue.ts';
import type { ReleasedClaim } from './settle.ts';

interface ClaimLease {
  /** The newest token: a delivery may be claimed again while it is being sent. */
  claimToken: string;
  readonly usableUntil: number;
}

export class ClaimLeases {
  readonly #leases = new Map<string, ClaimLease>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#leases.size;
  }

  /**
   * @param usableUntil the last moment at which a request can begin and still end within the lease
   * @returns whether the delivery is new. After a jump of the clock past our own lease, it goes on under the new claim
   * and is not sent twice
   */
  begin({ deliveryId, claimToken }: ClaimedDelivery, usableUntil: number): boolean {
    const lease = this.#leases.get(deliveryId);
    if (lease === undefined) this.#leases.set(deliveryId, { claimToken, usableUntil });
    else lease.claimToken = claimToken;
    return lease === undefined;
  }

  /** Whether a request that begins now ends within the lease. */
  isUsable({ deliveryId }: ClaimedDelivery): boolean {
    const lease = this.#leases.get(deliveryId);
    return lease !== undefined && this.#clock() <= lease.usableUntil;
  }

  /** A claim's end, with the newest token. */
  current<Ending extends ReleasedClaim>(ending: Ending): Ending {
    const claimToken = this.#leases.get(ending.deliveryId)?.claimToken ?? ending.claimToken;
    return claimToken === ending.claimToken ? ending : { ...ending, claimToken };
  }

  end(endings: readonly ReleasedClaim[]): void {
    for (const { deliveryId } of endings) this.#leases.delete(deliveryId);
  }
}
