/** Runs the operations of the start page with the key of this tab. */
import { whose } from './bar-queries.js';
import { show as fill } from './elements.js';
import { eventStream } from './event-stream.js';
import { ask } from './gateway.js';
import { keyForm } from './key-form.js';
import { readResult, sendOperation } from './send-operation.js';
import { onKeyChange, readKey, storeKey } from './stored-key.js';

const { endpoint } = document.body.dataset;
const keyPlace = document.querySelector('#key');

/** Milliseconds that a subscription is shown for. */
const watchedMs = 20_000;

const options = (more = {}) => ({ headers: { 'x-api-key': readKey() }, ...more });

/** Asks for a key that the gateway knows. */
async function showKey() {
  const help =
    'The start of the gateway prints a link to GraphiQL: open it, and this tab has the demo key. Or paste a key.';
  const known = readKey() === '' ? { problem: null } : await ask(whose).catch(({ message }) => ({ problem: message }));
  keyPlace.hidden = known.data !== undefined || document.querySelector('article button') === null;
  fill(keyPlace, keyForm({ problem: known.problem, help, onKey: storeKey }));
}

/** @param {Element} result @param {readonly { query: string, variables: object }[]} operations @param {AbortSignal} signal */
async function run(result, [first, meanwhile], signal) {
  if (meanwhile === undefined) {
    show(result, await readResult(await sendOperation(endpoint, first, options({ signal }))));
    return;
  }
  const leaving = AbortSignal.any([signal, AbortSignal.timeout(watchedMs)]);
  const headers = { 'x-api-key': readKey(), accept: 'text/event-stream' };
  const response = await sendOperation(endpoint, first, { headers, signal: leaving });
  if (!response.ok) return show(result, await readResult(response));
  const { errors, data } = await readResult(await sendOperation(endpoint, meanwhile, options({ signal })));
  if (errors !== undefined) return show(result, { errors, data });
  result.textContent = 'The event is emitted.';
  try {
    for await (const event of eventStream(response.body)) {
      result.textContent = `${lineOf(event)}\n${result.textContent}`;
    }
  } catch (error) {
    if (!leaving.aborted) throw error;
  }
}

/** An event of the subscription in one line: the newest stands first. */
function lineOf(event) {
  const { deliveryUpdated: delivery } = event.data ?? {};
  if (!delivery) return JSON.stringify(event);
  const [last] = delivery.attempts?.nodes?.slice(-1) ?? [];
  const outcome = last === undefined ? '' : `, ${last.status ?? last.failure} in ${last.durationMs} ms`;
  const time = new Date().toLocaleTimeString();
  return `${time} ${delivery.state}, attempt ${delivery.attemptCount}${outcome}: ${delivery.webhook?.requestUrl ?? ''}`;
}

function show(result, value) {
  result.textContent = JSON.stringify(value, null, 2);
}

async function runRest(result, address, signal) {
  show(result, await readResult(await fetch(address, options({ signal }))));
}

for (const tile of document.querySelectorAll('article:has(button)')) {
  const [button, result] = [tile.querySelector('button'), tile.querySelector('.result')];
  /** @type {AbortController | null} */
  let running = null;
  // It stays a button that the keyboard is at: pressed again, it stops what runs.
  button.addEventListener('click', async () => {
    if (running !== null) return running.abort();
    if (readKey() === '') return keyPlace.querySelector('input').focus();
    const { operations, rest } = tile.dataset;
    running = new AbortController();
    const { signal } = running;
    button.textContent = 'Stop';
    result.hidden = false;
    result.textContent = 'Running …';
    try {
      await (rest === undefined ? run(result, JSON.parse(operations), signal) : runRest(result, rest, signal));
    } catch (error) {
      result.textContent = signal.aborted ? 'Stopped.' : `No response: ${error.message}`;
    } finally {
      // A failure beside a subscription ends it, too.
      running.abort();
      running = null;
      button.textContent = 'Run';
    }
  });
}

onKeyChange(showKey);
showKey();
