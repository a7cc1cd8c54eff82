import { lastOf030, type SchemaSteps } from '../compatibility.ts';
import * as baseline from './baseline.ts';

/** Steps of 0.3.0 that the baseline replaces. Their names stay: its databases have them, and its gateways look for them. */
const replaced = `001_foundation 002_idempotency 003_delivery 004_webhook_destinations 005_publication 006_rate_limits
  007_event_idempotency 008_deployment 009_claims 010_webhook_listeners 011_queue_indexes 012_traces
  013_webhook_statistics 014_cascades 015_planned_cascades 016_pending_holds 017_idempotency_holders
  018_webhook_revisions 019_workspace_figures 020_names 021_event_index 022_stored_bytes 023_unique_deliveries`;

/** In order. A released step is never changed: add another, with `worksFrom` ({@link SchemaStep}). */
export const migrations: SchemaSteps = {
  ...Object.fromEntries(replaced.split(/\s+/).map((name) => [name, { up: async () => undefined }])),
  [lastOf030]: baseline,
};
