import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import type { LeaseTuning } from '../../capabilities/jobs/lease.ts';
import type { DeliveryEngine, DeliveryTuning } from '../../delivery/engine.ts';
import type { Authenticate, Caller } from '../../kernel/caller.ts';
import type { Idempotency } from '../../kernel/idempotency.ts';
import type { RandomBytes } from '../../kernel/ids.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Secrets } from '../../kernel/secrets/secret.ts';
import type { Troubles } from '../../kernel/troubles.ts';
import type { Providers } from '../../providers/provider.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { Intake } from '../intake/intake.ts';
import type { Siblings } from '../processes/siblings.ts';

/** Everything outside of the program, injected so that tests can replace it. */
export interface Dependencies {
  readonly logger: Logger;
  readonly secrets: Secrets;
  readonly now: () => Date;
  readonly randomBytes: RandomBytes;
  readonly providers: Providers;
  readonly telemetry?: Telemetry;
  /** Plugins of GraphQL Yoga, beside the gateway's own. */
  readonly plugins?: readonly Plugin[];
  /** The other processes behind the address; undefined without any. */
  readonly siblings?: Siblings | undefined;
  /** Whether ports that are taken are refused before a database is opened, and not only when it listens. */
  readonly willListen?: boolean;
  /** Troubles of the process; the composition root makes them. */
  readonly troubles?: Troubles;
  /** Only tests set it. */
  readonly delivery?: DeliveryTuning;
  /** Only tests set it. */
  readonly leases?: LeaseTuning;
}

export interface Backend {
  readonly ports: Ports;
  readonly authenticate: Authenticate;
  /** Callers of one tenant share data: the change of one may be in the reads of all. */
  readonly tenantOf: (caller: Caller) => string;
  readonly idempotency?: Idempotency;
  readonly delivery: DeliveryEngine | null;
  /** Takes events that a service sends. */
  readonly intake: Intake | null;
  /** For a backend that is ready without its service: whether the service could not be reached when readiness was asked for. */
  readonly isServiceAway?: () => boolean;
  /** Rejects while the backend is not ready. */
  ready(): Promise<void>;
  /** Leaves the storage open. */
  close(): Promise<void>;
}
