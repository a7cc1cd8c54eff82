/** Which deliveries of a webhook are listed. */

/** States, as people choose them; null for all. */
export const states = {
  attention: { label: 'Needs attention', states: ['FAILED', 'HELD', 'PENDING'] },
  all: { label: 'All states', states: null },
  pending: { label: 'Pending', states: ['PENDING'] },
  failed: { label: 'Failed', states: ['FAILED'] },
  held: { label: 'Held', states: ['HELD'] },
  succeeded: { label: 'Succeeded', states: ['SUCCEEDED'] },
};

/** What the last attempt came to. The API does not filter by it, so the page does. */
export const responses = {
  '': { label: 'Any response' },
  '2xx': { label: '2xx' },
  '3xx': { label: '3xx' },
  '4xx': { label: '4xx' },
  '5xx': { label: '5xx' },
  none: { label: 'No response' },
};

export const times = {
  '': { label: 'Any time' },
  HOUR: { label: 'Last hour', ms: 3_600_000 },
  DAY: { label: 'Last 24 hours', ms: 86_400_000 },
  WEEK: { label: 'Last 7 days', ms: 7 * 86_400_000 },
};

export const noFilter = { state: 'attention', response: '', event: '', time: '', deliveryId: '' };

/** The one that was searched for, whatever came of it. @param {string | undefined} deliveryId undefined for none */
export const filterOf = (deliveryId) => (deliveryId ? { ...noFilter, state: 'all', deliveryId } : noFilter);

const sinceOf = ({ time }, now) => (time === '' ? null : new Date(now - times[time].ms).toISOString());

/** The part that the API filters by, as its variables. */
export const variablesOf = (filter, now) => ({
  states: states[filter.state].states,
  events: filter.event === '' ? null : [filter.event],
  since: sinceOf(filter, now),
});

/** @param {string} response a class such as `4xx`, a status, or `none` */
export function hasResponse({ lastAttempt }, response) {
  if (response === '') return true;
  const status = lastAttempt?.status ?? null;
  if (response === 'none') return lastAttempt !== null && status === null;
  return response.endsWith('xx') ? String(status).startsWith(response[0]) : String(status) === response;
}

function fits(delivery, filter, now) {
  const { states: wanted, events, since } = variablesOf(filter, now);
  return (
    (filter.deliveryId === '' || filter.deliveryId === delivery.deliveryId) &&
    (wanted === null || wanted.includes(delivery.state)) &&
    (events === null || events.includes(delivery.event)) &&
    (since === null || Date.parse(delivery.createdAt) >= Date.parse(since)) &&
    hasResponse(delivery, filter.response)
  );
}

/** A list after a change of a delivery: in its place, or on top, unless the filter leaves it out. */
export function withChange(nodes, delivery, filter, now = Date.now()) {
  const isShown = fits(delivery, filter, now);
  const index = nodes.findIndex(({ deliveryId }) => deliveryId === delivery.deliveryId);
  if (index === -1) return isShown ? [delivery, ...nodes] : nodes;
  return isShown ? nodes.with(index, delivery) : nodes.toSpliced(index, 1);
}
