/** Sends deliveries again, or now if they wait. */

import { openForm } from './dialog.js';
import { h } from './elements.js';
import { states, times, variablesOf } from './filters.js';
import { deliveriesAre } from './format.js';
import { act } from './gateway.js';
import * as queries from './queries.js';

/** So many of the chosen are sent at once. */
const atOnce = 4;

/** @returns {Promise<string>} what came of it */
export async function retry({ deliveryId, state }) {
  await act(queries.redeliver, { deliveryId });
  return state === 'PENDING' ? 'The delivery is sent now.' : 'The delivery is sent again.';
}

/** @param {object[]} chosen @returns {Promise<string>} @throws {GatewayError} if none could be */
export async function retryEach(chosen) {
  const left = [...chosen];
  const failures = [];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await retry(next).catch((error) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const [first] = failures;
  if (failures.length === chosen.length) throw first;
  const done = `${deliveriesAre(chosen.length - failures.length)} sent again.`;
  return first === undefined ? done : `${done} ${failures.length} could not be: ${first.message}`;
}

async function retryStates(webhookId, filter) {
  const { states: chosen, since } = variablesOf(filter, Date.now());
  let sum = 0;
  for (const state of chosen) {
    const input = { webhookId, state, ...(since === null ? {} : { since }) };
    sum += (await act(queries.redeliverAll, { input })).count;
  }
  if (sum === 0) return 'There is nothing to retry.';
  return `${deliveriesAre(sum)} ${filter.state === 'pending' ? 'sent now' : 'sent again'}.`;
}

/** Asks before, as it may be thousands. @param {(said: string) => void} onDone */
export function retryAll(webhookId, filter, onDone) {
  const { label } = states[filter.state];
  const period = filter.time === '' ? '' : ` of the ${times[filter.time].label.toLowerCase()}`;
  const which = filter.state === 'attention' ? 'that failed, is held or waits' : `in the state “${label}”`;
  openForm({
    title: 'Retry all?',
    fields: [h('p', {}, `Every delivery${period} ${which} is sent at once, also those that are not listed here.`)],
    submit: 'Retry all',
    async send() {
      onDone(await retryStates(webhookId, filter));
    },
  });
}
