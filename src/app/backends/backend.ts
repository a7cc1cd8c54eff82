/** What the server needs of a backend, and a backend of the process. */
import type { Logger } from 'pino';
import type { LeaseTuning } from '../../capabilities/jobs/lease.ts';
import type { DeliveryEngine, DeliveryTuning } from '../../delivery/engine.ts';
import type { Authenticate, Caller } from '../../kernel/caller.ts';
import type { Idempotency } from '../../kernel/idempotency.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Providers } from '../../providers/provider.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';

/** What the process injects: everything that reaches outside the program, so that tests can replace it. */
export interface Dependencies {
  readonly logger: Logger;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly providers: Providers;
  readonly telemetry?: Telemetry;
  /** The timing of deliveries. Only tests set it. */
  readonly delivery?: DeliveryTuning;
  /** The timing of the leases on jobs. Only tests set it. */
  readonly leases?: LeaseTuning;
}

/** An implementation of the ports, and what the server needs with it. */
export interface Backend {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  /** Names those who share data with a caller: what it changes, they may have read. */
  readonly tenantOf: (caller: Caller) => string;
  /** Implements `Idempotency-Key`. Without it the key is forwarded through the ports. */
  readonly idempotency?: Idempotency;
  readonly delivery: DeliveryEngine | null;
  /** Rejects while the backend cannot serve requests. */
  ready(): Promise<void>;
  close(): Promise<void>;
}
