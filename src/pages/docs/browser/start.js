/** Runs the operations of the start page with the key of this tab. */
import { whose } from './bar-queries.js';
import { show as fill } from './elements.js';
import { follow } from './follow.js';
import { ask, options } from './gateway.js';
import { keyForm } from './key-form.js';
import { readResult, sendOperation } from './send-operation.js';
import { onKeyChange, readKey, storeKey } from './stored-key.js';

const { endpoint } = document.body.dataset;
const keyPlace = document.querySelector('#key');

/** Milliseconds that a subscription is shown for. */
const watchedMs = 20_000;

/** Asks for a key that the gateway knows. */
async function showKey() {
  const key = readKey();
  const known = key === '' ? { problem: null } : await ask(whose).catch(({ message }) => ({ problem: message }));
  if (key !== readKey()) return;
  keyPlace.hidden = known.data !== undefined || document.querySelector('article button') === null;
  fill(keyPlace, keyForm({ problem: known.problem, onKey: storeKey }));
}

/** @param {Element} result @param {readonly { query: string, variables: object }[]} operations @param {AbortSignal} signal */
async function run(result, [first, meanwhile], signal) {
  if (meanwhile === undefined)
    return show(result, await readResult(await sendOperation(endpoint, first, options(signal))));
  const leaving = AbortSignal.any([signal, AbortSignal.timeout(watchedMs)]);
  const add = (line) => {
    result.textContent = `${line}\n${result.textContent}`.trim();
  };
  result.textContent = '';
  let isEmitted = false;
  const onConnected = async () => {
    if (isEmitted) return;
    isEmitted = true;
    await ask(meanwhile.query, meanwhile.variables, { signal });
    add('The event is emitted.');
  };
  const onLive = (isLive) => isLive || add('The connection is lost. It is tried again.');
  const changes = follow(first.query, first.variables, { signal: leaving, onLive, onConnected });
  for await (const delivery of changes) add(lineOf(delivery));
}

/** A change of a delivery in one line: the newest stands first. */
function lineOf({ state, attempts, attemptCount, webhook }) {
  const last = attempts?.nodes?.at(-1);
  const outcome = last === undefined ? '' : `, ${last.status ?? last.failure} in ${last.durationMs} ms`;
  return `${new Date().toLocaleTimeString()} ${state}, attempt ${attemptCount}${outcome}: ${webhook?.requestUrl ?? ''}`;
}

function show(result, value) {
  result.textContent = JSON.stringify(value, null, 2);
}

async function runRest(result, address, signal) {
  show(result, await readResult(await fetch(address, options(signal))));
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
      const isUnanswered = error instanceof TypeError;
      result.textContent = signal.aborted ? 'Stopped.' : `${isUnanswered ? 'No response: ' : ''}${error.message}`;
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
