/** The list of webhooks with all that they are, as the contract has it: a page has as many as fit into so many bytes. */
import type { CursorCodec } from '../paging.ts';
import { byCreation, startPage } from '../store/keyset.ts';
import { webhookListScope } from './filter.ts';
import type { WebhooksPort } from './port.ts';
import { listedWebhooks, readWebhooks } from './repository.ts';
import { type Webhook, webhookLimits } from './shapes.ts';

type ListContext = Parameters<typeof readWebhooks>[0] & { readonly cursors: CursorCodec };

/** Bytes of a page as JSON, unless one webhook alone has more. */
export const maxListBytes = 4_194_304;

/** Webhooks that are read with one statement, and measured, before the next. */
const atOnce = 10;

const oldestFirst = byCreation('webhooks', 'asc');

export const listWhole =
  (context: ListContext): WebhooksPort['list'] =>
  async (call, { cursor, limit = webhookLimits.limit.default, ...filter }) => {
    const { caller } = call;
    const scope = ['webhooks', caller.keyId, ...webhookListScope(filter)];
    const listed = listedWebhooks(context, caller, filter).clearSelect().select(['id', 'created_at']);
    const page = startPage(listed, oldestFirst, { cursors: context.cursors, scope, cursor, limit });
    const rows = await page.query.execute();
    const items: Webhook[] = [];
    let bytes = 0;
    for (let at = 0; at < Math.min(rows.length, limit); at += atOnce) {
      const some = rows.slice(at, Math.min(at + atOnce, limit)).map(({ id }) => id);
      for (const [place, webhook] of (await readWebhooks(context, call, some)).entries()) {
        const size = webhook === null ? 0 : Buffer.byteLength(JSON.stringify(webhook));
        const before = rows[at + place - 1];
        if (items.length > 0 && before !== undefined && bytes + size > maxListBytes) {
          return { object: 'WebhookList', items, cursor: page.cursorOf(before) };
        }
        bytes += size;
        if (webhook !== null) items.push(webhook);
      }
    }
    return { object: 'WebhookList', items, cursor: page.pageOf(rows).cursor };
  };
