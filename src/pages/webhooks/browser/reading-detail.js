/** Reads a webhook with those of its deliveries that a filter chooses. */
import { hasResponse, variablesOf } from './filters.js';
import * as queries from './queries.js';
import { readData, variablesFor } from './reading.js';

const pageSize = 100;
/** So many deliveries are looked through for a response, at most. */
const mostLookedAt = 1000;

/** @returns {Promise<object | null>} null if the key sees no such delivery */
export async function readDelivery(deliveryId, viewer) {
  return (await readData(queries.oneDelivery, { deliveryId, ...variablesFor(viewer) })).delivery;
}

/** @param {{ viewer: object, period: string, filter: object, wanted: number }} view @returns {Promise<object | null>} null if the key sees no such webhook */
export async function readDetail(webhookId, { viewer, period, filter, wanted }) {
  const isSifted = filter.response !== '';
  const chosen = { ...variablesOf(filter, Date.now()), ...variablesFor(viewer) };
  const first = isSifted ? pageSize : wanted;
  const { webhook } = await readData(queries.detail, { webhookId, period, ...chosen, first });
  if (!webhook) return null;
  // What is shown is of this period, whatever is chosen meanwhile.
  webhook.period = period;
  if (filter.deliveryId !== '') {
    const delivery = await readDelivery(filter.deliveryId, viewer);
    const nodes = delivery?.webhookId === webhookId ? [delivery] : [];
    webhook.deliveries = { nodes, pageInfo: { hasNextPage: false } };
  }
  if (!isSifted) return webhook;
  const nodes = [];
  let page = webhook.deliveries;
  for (let lookedAt = pageSize; ; lookedAt += pageSize) {
    nodes.push(...page.nodes.filter((each) => hasResponse(each, filter.response)));
    if (nodes.length > wanted || !page.pageInfo.hasNextPage || lookedAt >= mostLookedAt) break;
    const after = page.pageInfo.endCursor;
    const more = await readData(queries.moreDeliveries, { webhookId, ...chosen, first, after });
    if (!more.webhook) break;
    page = more.webhook.deliveries;
  }
  const hasNextPage = nodes.length > wanted;
  const isCut = !hasNextPage && page.pageInfo.hasNextPage;
  webhook.deliveries = { nodes: nodes.slice(0, wanted), pageInfo: { hasNextPage }, isCut };
  return webhook;
}
