import type { UniqueIndex } from '../compatibility.ts';

export const worksFrom = '011_queue_indexes';

export const up = async (): Promise<void> => undefined;

/** No event goes to a webhook twice, whatever a gateway does: an earlier one could list a webhook twice while it changed. */
export const indexes = {
  deliveries_of_event: 'on deliveries (event_id, webhook_id)',
  deliveries_by_event: null,
};

export const unique = {
  deliveries_of_event: { table: 'deliveries', key: 'event_id, webhook_id', order: 'created_at, id' },
} as const satisfies Readonly<Record<string, UniqueIndex>>;
