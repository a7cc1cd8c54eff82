/** The contract's list with all parts: a page has as many webhooks as fit into its bytes. */
import { weightOfBytes } from '../../kernel/lib/fair-turns.ts';
import { parts } from '../../kernel/lib/parts.ts';
import type { CursorCodec } from '../../kernel/paging.ts';
import { startPage, wholeOf } from '../../store/keyset.ts';
import { bytesOf, readSized } from '../../store/large-rows.ts';
import { webhookListScope } from './filter.ts';
import { listedWebhooks, webhookKeyset } from './listed.ts';
import type { WebhooksPort } from './port.ts';
import { readWhole, smallParts } from './repository.ts';
import { type Webhook, webhookLimits } from './shapes.ts';

type WholeListContext = Parameters<typeof readWhole>[0] &
  Parameters<typeof listedWebhooks>[0] & { readonly cursors: CursorCodec };

/** Bytes of a page as JSON, unless one webhook alone has more. */
export const maxListBytes = 4_194_304;

/** Stored bytes of one statement, measured before the next: accounts are stored as ids alone. */
const partLimits = { items: webhookLimits.limit.max, weight: 262_144 };

export const listWhole =
  (context: WholeListContext): WebhooksPort['list'] =>
  async (call, { cursor, limit = webhookLimits.limit.default, ...filter }) => {
    const { caller } = call;
    const scope = ['webhooks', caller.keyId, ...webhookListScope(filter)];
    const listed = listedWebhooks(context, caller, filter);
    const page = startPage(
      (...place: Parameters<typeof listed>) => listed(...place).select(smallParts),
      webhookKeyset(filter),
      { cursors: context.cursors, scope, cursor, limit },
    );
    const rows = await wholeOf(page).execute();
    const items: Webhook[] = [];
    let bytes = 0;
    let last: (typeof rows)[number] | undefined;
    for (const part of parts(rows.slice(0, limit), bytesOf, partLimits)) {
      const webhooks = await readSized(context.budget, call, part, readWhole(context, call, part));
      // Measuring takes as long as reading.
      await call.turn?.(weightOfBytes(part.reduce((sum, row) => sum + row.bytes, 0)));
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
