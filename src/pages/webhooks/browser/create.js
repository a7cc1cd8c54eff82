/** Creates a webhook in three steps: where to, what, and whether its requests are verified. */

import { field, openForm, showIssues } from './dialog.js';
import { h } from './elements.js';
import { accountsField, dataField, eventsField, formatField, headersField, textField } from './fields.js';
import { capital, words } from './format.js';
import { act, onceEach } from './gateway.js';
import { readAccounts, readSources } from './known.js';
import * as queries from './queries.js';
import { secretShown } from './secret.js';
import { testOf } from './testing.js';

export const steps = [
  { name: 'Address', text: 'Say where events are to go: an address of yours, with headers if it needs any.' },
  { name: 'Event', text: 'Choose what you want to hear of, and see what arrives.' },
  { name: 'Verify', text: 'Store the secret that signs, send a test event, and see what your endpoint responds.' },
];

/**
 * @param {{ accountIds: string[] | null, scopes: string[] }} viewer
 * @param {(webhookId: string) => void} onCreated
 */
export async function create(viewer, onCreated) {
  const [known, accounts] = await Promise.all([readSources(), readAccounts(viewer)]);
  const once = onceEach();
  const name = textField('name', { maxlength: 255 });
  const requestUrl = textField('request-url', { type: 'url', required: true, placeholder: 'https://' });
  const chosenAccounts = accountsField(accounts, viewer.accountIds, viewer.accountIds !== null);
  const headers = headersField([]);
  const format = formatField('JSON', () => data.update());
  const source = h(
    'select',
    { id: 'source', onchange: () => showSource() },
    ...Object.keys(known).map((each) => h('option', { value: each }, capital(words(each)))),
  );
  const ofSource = h('div.group', {});
  let [events, data] = [null, null];
  const showSource = () => {
    const samples = known[source.value];
    events = eventsField(samples, null, () => data.update());
    data = dataField(samples, null, {
      name: () => name.value,
      events: () => events.value(),
      format: () => format.value(),
    });
    ofSource.replaceChildren(events.node, data.node);
  };
  showSource();

  const address = {
    title: 'Create a webhook',
    steps: { names: steps.map(({ name }) => name), at: 0 },
    fields: [
      field('Address', requestUrl, 'Each event is a POST request to it.'),
      field('Name', name),
      h(
        'details.group',
        {},
        h('summary', {}, 'Accounts and headers'),
        accounts.length === 0 ? null : chosenAccounts.node,
        headers.node,
      ),
    ],
    submit: 'Next',
    send() {
      data.update();
      return event;
    },
  };
  const event = {
    title: 'Create a webhook',
    steps: { names: steps.map(({ name }) => name), at: 1 },
    back: address,
    fields: [field('Source', source), ofSource, format.node],
    submit: 'Create the webhook',
    async send(go) {
      const accountIds = accounts.length === 0 ? viewer.accountIds : chosenAccounts.value();
      const input = {
        name: name.value,
        requestUrl: requestUrl.value,
        source: source.value,
        events: events.value(),
        format: format.value(),
        headers: headers.value(),
        ...(data.value() === null ? {} : { data: data.value() }),
        ...(accountIds === null ? {} : { accountIds }),
      };
      try {
        const { webhookId } = await act(queries.create, { input: once(input) });
        onCreated(webhookId);
        return await verification(webhookId);
      } catch (error) {
        const first = { name, requestUrl, headers: headers.input, accountIds: chosenAccounts.input };
        if (error.issues.some(({ path }) => path.some((each) => Object.hasOwn(first, each)))) go(address);
        error.message = showIssues(error, first);
        throw error;
      }
    },
  };
  openForm(address);
}

/** The last step. The secret is shown once, here. */
async function verification(webhookId) {
  const said = h('p.result', { role: 'status' }, 'Send a test event to see what your endpoint responds.');
  const test = h('button', { type: 'button', onclick: () => send() }, 'Send a test event');
  const send = async () => {
    said.textContent = 'It is on its way …';
    try {
      said.textContent = (await testOf(webhookId)).text;
    } catch ({ message }) {
      said.textContent = message;
    }
  };
  const { secret } = await act(queries.revealSecret, { webhookId });
  const { node, taken } = secretShown(secret);
  return {
    title: 'Verify what you receive',
    steps: { names: steps.map(({ name }) => name), at: 2 },
    fields: [
      h('p', {}, 'Requests are signed with this secret. Store it now: it is not shown again.'),
      node,
      h(
        'p',
        {},
        'Your endpoint checks the signature with it, ',
        h('a', { href: '/docs/use/webhooks#verify-a-signature', target: '_blank', rel: 'noopener' }, 'as shown here'),
        ', and answers with a status from 200 to 299.',
      ),
      said,
      test,
    ],
    submit: 'Done',
    taken,
    send: () => null,
  };
}
