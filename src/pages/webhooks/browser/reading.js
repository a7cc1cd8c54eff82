/**
 * Which webhooks are listed: the worst first, as they are when one comes. They keep their places until one asks for others,
 * so that nothing moves under the pointer; what is read again is their figures.
 */
import { ask } from './gateway.js';
import * as queries from './queries.js';
import { byUrgency } from './state-of-webhook.js';

const pageSize = 50;

/** The list items that the last response to each query left out, because they could not be read. */
export const skippedBy = new Map();

/** Sends a query, and notes what it left out. @returns {Promise<object>} its data */
export async function readData(query, variables, how) {
  const { data, skipped } = await ask(query, variables, how);
  skippedBy.set(query, skipped);
  return data;
}

/** What the page leaves out for a key that lacks a scope: a part that is refused would take the whole with it. */
export const variablesFor = ({ scopes }) => ({ seesAccounts: scopes.includes('ACCOUNTS_READ') });

/** What the list can show: states of webhooks, one after the other; null for all that are left. */
export const listings = {
  all: { label: 'All', stages: [['DISABLED_BY_GATEWAY'], ['FAILING'], null] },
  failing: { label: 'Failing', stages: [['DISABLED_BY_GATEWAY'], ['FAILING']] },
  disabled: { label: 'Disabled', stages: [['DISABLED_BY_GATEWAY'], ['DISABLED_BY_CALLER']] },
};

/** A list that has not been read. `webhooks` null: as yet. @param {string} [search] a part of names; empty for all */
export const unread = (listing = 'all', search = '') => ({
  listing,
  search,
  /** How many webhooks are to be listed, if there are as many. */
  wanted: pageSize,
  webhooks: null,
  stage: 0,
  after: null,
  hasMore: true,
});

/** The list with one more page to be read. */
export const withMore = (list) => ({ ...list, wanted: list.webhooks.length + pageSize });

/** Whether it lacks webhooks that are to be listed. */
export const isShort = ({ webhooks, wanted, hasMore }) => hasMore && (webhooks?.length ?? 0) < wanted;

/**
 * Reads the webhooks that a list lacks.
 * @returns {Promise<{ viewer: object, list: object }>}
 */
export async function readPage({ listing, search, wanted, webhooks, stage, after }, period) {
  const { stages } = listings[listing];
  const found = new Map((webhooks ?? []).map((each) => [each.webhookId, each]));
  const at = { stage, after };
  let viewer = null;
  do {
    const query = search.trim() || null;
    const data = await readData(queries.list, { period, healthStates: stages[at.stage], query, after: at.after });
    viewer = data.viewer;
    for (const each of data.webhooks.nodes) if (!found.has(each.webhookId)) found.set(each.webhookId, each);
    const { hasNextPage, endCursor } = data.webhooks.pageInfo;
    Object.assign(at, hasNextPage ? { after: endCursor } : { stage: at.stage + 1, after: null });
  } while (at.stage < stages.length && found.size < wanted);
  const all = [...found.values()];
  const listed = all.slice(0, webhooks?.length ?? 0);
  return {
    viewer,
    list: {
      listing,
      search,
      wanted,
      ...at,
      webhooks: [...listed, ...byUrgency(all.slice(listed.length))],
      hasMore: at.stage < stages.length,
    },
  };
}

/** Reads the figures of what is listed. A webhook that is gone leaves the list. */
export async function readFigures(list, period) {
  const found = [];
  let viewer = null;
  let at = 0;
  do {
    const ids = list.webhooks.slice(at, at + pageSize).map(({ id }) => id);
    const data = await readData(queries.rows, { period, ids });
    viewer = data.viewer;
    found.push(...data.nodes.filter((each) => each?.webhookId));
    at += pageSize;
  } while (at < list.webhooks.length);
  return { viewer, list: { ...list, webhooks: found, wanted: found.length } };
}
