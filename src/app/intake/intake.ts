/**
 * Events of a service, in front of which the gateway has webhooks of its own.
 *
 *   registrations.ts  keeps a webhook at the service for each event, whose address names it
 *   payload.ts        reads what the service posts there
 *   inbox.ts          stores it as an event of the account, once
 *   routes.ts         is the address: 2xx once the event is stored with its deliveries
 */

import type { WebhookEvent } from '../../events/sources.ts';
import type { Route } from '../../http/router.ts';

export interface IntakeSettings {
  /** Address of the gateway as the service reaches it, without a slash at its end. */
  readonly publicUrl: string;
  readonly events: readonly WebhookEvent[];
}

/** What became of the webhook of an event at the service. */
export interface Registration {
  readonly event: WebhookEvent;
  readonly state: 'active' | 'missing' | 'refused';
  /** Why the service refused it. */
  readonly detail: string | null;
}

export interface Intake {
  readonly routes: readonly Route[];
  /** As they were last found; empty before. */
  registrations(): readonly Registration[];
  close(): Promise<void>;
}

/** Path of addresses, in front of the event's name. */
export const intakePath = '/intake';

/** Authenticates the service: it sends the header as its webhook says. */
export const intakeHeader = 'x-postern-intake';
