import { lastOfBaseline, type SchemaSteps } from '../compatibility.ts';
import * as baseline from './baseline.ts';
import { sinceBaseline } from './since-baseline.ts';

/** Steps that the baseline replaces. Their names stay: databases have them, and earlier gateways look for them. */
const replaced = `001_foundation 002_idempotency 003_delivery 004_webhook_destinations 005_publication 006_rate_limits
  007_event_idempotency 008_deployment 009_claims 010_webhook_listeners 011_queue_indexes 012_traces
  013_webhook_statistics 014_cascades 015_planned_cascades 016_pending_holds 017_idempotency_holders
  018_webhook_revisions 019_workspace_figures 020_names`;

/** In order. A released step is never changed: add another, with `worksFrom` ({@link SchemaStep}). */
export const migrations: SchemaSteps = {
  ...Object.fromEntries(replaced.split(/\s+/).map((name) => [name, { up: async () => undefined }])),
  [lastOfBaseline]: baseline,
  ...sinceBaseline,
};
