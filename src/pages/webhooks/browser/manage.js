/** What an owner does with webhooks besides sending: create, edit and delete them, and replace their secrets. */
import { act, ask } from './api.js';
import { field, openForm, openText, showIssues } from './dialog.js';
import { h } from './elements.js';
import { capital, words } from './format.js';
import * as queries from './queries.js';
import { nameOf } from './state-of-webhook.js';

/** Sources with their events, by the samples of the API. */
let sources = null;

async function readSources() {
  if (sources !== null) return sources;
  const { eventSamples } = await ask(queries.sources);
  sources = Object.groupBy(eventSamples, ({ source }) => source);
  return sources;
}

const textField = (id, properties) => h('input', { id, autocomplete: 'off', ...properties });

function eventBoxes(events, chosen) {
  const boxes = events.map(({ event }) => {
    const input = h('input', { type: 'checkbox', value: event, checked: chosen === null || chosen.includes(event) });
    return h('label.box', {}, input, capital(words(event)));
  });
  return h('fieldset', { id: 'events', tabindex: '-1' }, h('legend', {}, 'Events'), ...boxes);
}

const chosenIn = (fieldset) => [...fieldset.querySelectorAll('input:checked')].map(({ value }) => value);

/** Sends a form. What is wrong is shown beside its field. */
async function sendForm(query, input, inputs) {
  try {
    return await act(query, { input });
  } catch (error) {
    const others = showIssues(error.issues, inputs);
    if (error.issues.length > others.length) {
      error.message = others.map(({ path, message }) => `${path.join('.')} ${message}.`).join(' ');
    }
    throw error;
  }
}

/**
 * @param {{ accountIds: string[] | null }} viewer a limited key can create webhooks of its accounts
 * @param {(webhookId: string) => void} onCreated
 */
export async function create({ accountIds }, onCreated) {
  const known = await readSources();
  const idempotencyKey = crypto.randomUUID();
  const name = textField('name', { maxlength: 255 });
  const requestUrl = textField('request-url', { type: 'url', required: true, placeholder: 'https://' });
  const source = h(
    'select',
    { id: 'source', onchange: () => showEvents() },
    ...Object.keys(known).map((each) => h('option', { value: each }, capital(words(each)))),
  );
  const events = h('div', {});
  const showEvents = () => events.replaceChildren(eventBoxes(known[source.value], null));
  showEvents();
  openForm({
    title: 'Create a webhook',
    fields: [
      field('Name', name),
      field('Address', requestUrl, 'Each event is a POST request to it.'),
      field('Source', source),
      events,
    ],
    submit: 'Create the webhook',
    async send() {
      const input = {
        name: name.value,
        requestUrl: requestUrl.value,
        source: source.value,
        events: chosenIn(events),
        idempotencyKey,
        ...(accountIds === null ? {} : { accountIds }),
      };
      const { webhookId } = await sendForm(queries.create, input, { name, requestUrl, source });
      onCreated(webhookId);
    },
  });
}

export async function edit({ webhookId, name: oldName, requestUrl: oldUrl, source, events: oldEvents }, onChanged) {
  const known = source ? (await readSources())[source] : null;
  const name = textField('name', { maxlength: 255, value: oldName ?? '' });
  const requestUrl = textField('request-url', { type: 'url', required: true, value: oldUrl });
  const events = known ? eventBoxes(known, oldEvents) : null;
  openForm({
    title: 'Edit the webhook',
    fields: [field('Name', name), field('Address', requestUrl), events],
    submit: 'Save the changes',
    async send() {
      const changes = events === null ? {} : { events: chosenIn(events) };
      const input = { webhookId, name: name.value, requestUrl: requestUrl.value, ...changes };
      await sendForm(queries.update, input, { name, requestUrl });
      onChanged();
    },
  });
}

export const remove = (webhook, onRemoved) =>
  openForm({
    title: `Delete ${nameOf(webhook)}?`,
    fields: [h('p', {}, 'Deliveries that wait or are held are lost. This cannot be undone.')],
    submit: 'Delete the webhook',
    tone: 'danger',
    async send() {
      await act(queries.remove, { webhookId: webhook.webhookId });
      onRemoved();
    },
  });

export const rotateSecret = (webhook) =>
  openForm({
    title: `Replace the secret of ${nameOf(webhook)}?`,
    fields: [
      h('p', {}, 'The new secret is shown once. For 24 hours, deliveries are signed with the previous one as well.'),
    ],
    submit: 'Replace the secret',
    async send() {
      const { secret } = await act(queries.rotateSecret, { webhookId: webhook.webhookId });
      // After this dialog has closed.
      setTimeout(() => showSecret(secret));
    },
  });

function showSecret(secret) {
  const said = h('small', { role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      said.textContent = 'The secret is copied.';
    } catch ({ message }) {
      said.textContent = `Not copied. ${message}`;
    }
  };
  openText(
    'The new secret',
    h('p', {}, 'Store it now: it is not shown again.'),
    h('p', {}, h('code.secret', {}, secret)),
    h('p', {}, h('button', { type: 'button', onclick: copy }, 'Copy the secret'), said),
  );
}
