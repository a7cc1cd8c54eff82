/** The list of webhooks with all that they are, as the contract has it: a page has as many as fit into so many bytes. */
import type { CursorCodec } from '../../kernel/paging.ts';
import { byCreation, startPage } from '../../store/keyset.ts';
import { parts, readSized } from '../../store/large-rows.ts';
import { webhookListScope } from './filter.ts';
import type { WebhooksPort } from './port.ts';
import { largeBytes, listedWebhooks, readWhole } from './repository.ts';
import { type Webhook, webhookLimits } from './shapes.ts';

type ListContext = Parameters<typeof readWhole>[0] & { readonly cursors: CursorCodec };

/** Bytes of a page as JSON, unless one webhook alone has more. */
export const maxListBytes = 4_194_304;

/** Stored bytes that are read with one statement, and measured, before the next: accounts are stored as their ids alone. */
const atOnce = { bytes: 262_144, rows: webhookLimits.limit.max };

const oldestFirst = byCreation('webhooks', 'asc');

export const listWhole =
  (context: ListContext): WebhooksPort['list'] =>
  async (call, { cursor, limit = webhookLimits.limit.default, ...filter }) => {
    const { caller } = call;
    const scope = ['webhooks', caller.keyId, ...webhookListScope(filter)];
    const listed = listedWebhooks(context, caller, filter)
      .clearSelect()
      .select(['id', 'created_at', largeBytes.as('bytes')]);
    const page = startPage(listed, oldestFirst, { cursors: context.cursors, scope, cursor, limit });
    const rows = await page.query.execute();
    const items: Webhook[] = [];
    let bytes = 0;
    let last: (typeof rows)[number] | undefined;
    for (const part of parts(rows.slice(0, limit), atOnce)) {
      const webhooks = await readSized(context.budget, call, part, readWhole(context, call));
      for (const row of part) {
        const webhook = webhooks.get(row.id);
        const size = webhook === undefined ? 0 : Buffer.byteLength(JSON.stringify(webhook));
        if (last !== undefined && items.length > 0 && bytes + size > maxListBytes) {
          return { object: 'WebhookList', items, cursor: page.cursorOf(last) };
        }
        bytes += size;
        if (webhook !== undefined) items.push(webhook);
        last = row;
      }
    }
    return { object: 'WebhookList', items, cursor: page.pageOf(rows).cursor };
  };
