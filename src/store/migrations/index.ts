import type { SchemaSteps } from '../compatibility.ts';
import * as foundation from './001_foundation.ts';
import * as idempotency from './002_idempotency.ts';
import * as delivery from './003_delivery.ts';
import * as webhookDestinations from './004_webhook_destinations.ts';
import * as publication from './005_publication.ts';
import * as rateLimits from './006_rate_limits.ts';
import * as eventIdempotency from './007_event_idempotency.ts';
import * as deployment from './008_deployment.ts';
import * as claims from './009_claims.ts';
import * as webhookListeners from './010_webhook_listeners.ts';
import * as queueIndexes from './011_queue_indexes.ts';
import * as traces from './012_traces.ts';
import * as webhookStatistics from './013_webhook_statistics.ts';
import * as cascades from './014_cascades.ts';
import * as plannedCascades from './015_planned_cascades.ts';
import * as pendingHolds from './016_pending_holds.ts';
import * as idempotencyHolders from './017_idempotency_holders.ts';
import * as webhookRevisions from './018_webhook_revisions.ts';
import * as workspaceFigures from './019_workspace_figures.ts';
import * as names from './020_names.ts';
import * as eventIndex from './021_event_index.ts';
import * as storedBytes from './022_stored_bytes.ts';
import * as uniqueDeliveries from './023_unique_deliveries.ts';
import * as accountEvents from './024_account_events.ts';

/** In order. A released step is never changed: add another, with `worksFrom` ({@link SchemaStep}). */
export const migrations: SchemaSteps = {
  '001_foundation': foundation,
  '002_idempotency': idempotency,
  '003_delivery': delivery,
  '004_webhook_destinations': webhookDestinations,
  '005_publication': publication,
  '006_rate_limits': rateLimits,
  '007_event_idempotency': eventIdempotency,
  '008_deployment': deployment,
  '009_claims': claims,
  '010_webhook_listeners': webhookListeners,
  '011_queue_indexes': queueIndexes,
  '012_traces': traces,
  '013_webhook_statistics': webhookStatistics,
  '014_cascades': cascades,
  '015_planned_cascades': plannedCascades,
  '016_pending_holds': pendingHolds,
  '017_idempotency_holders': idempotencyHolders,
  '018_webhook_revisions': webhookRevisions,
  '019_workspace_figures': workspaceFigures,
  '020_names': names,
  '021_event_index': eventIndex,
  '022_stored_bytes': storedBytes,
  '023_unique_deliveries': uniqueDeliveries,
  '024_account_events': accountEvents,
};
