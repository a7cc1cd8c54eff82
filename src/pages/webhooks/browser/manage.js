/** What an owner does with a webhook besides sending: edit and delete it, and replace its secret. */

import { field, openForm, showIssues } from './dialog.js';
import { h } from './elements.js';
import { accountsField, dataField, eventsField, formatField, headersField, textField } from './fields.js';
import { act } from './gateway.js';
import { readAccounts, readSources } from './known.js';
import * as queries from './queries.js';
import { secretShown } from './secret.js';
import { nameOf } from './state-of-webhook.js';

export async function edit(webhook, viewer, onChanged) {
  const { webhookId, source } = webhook;
  const [known, accounts] = await Promise.all([source ? readSources() : null, readAccounts(viewer)]);
  const name = textField('name', { maxlength: 255, value: webhook.name ?? '' });
  const requestUrl = textField('request-url', { type: 'url', required: true, value: webhook.requestUrl });
  const events = known ? eventsField(known[source], webhook.events, () => data.update()) : null;
  const format = formatField(webhook.format, () => data?.update());
  const headers = headersField(webhook.headers);
  const data = known
    ? dataField(known[source], webhook.data, {
        name: () => name.value,
        events: () => events.value(),
        format: () => format.value(),
      })
    : null;
  name.addEventListener('input', () => data?.update());
  const listened = webhook.accounts?.map(({ accountId }) => accountId) ?? null;
  const chosenAccounts = accountsField(accounts, listened, viewer.accountIds !== null);
  openForm({
    title: 'Edit the webhook',
    fields: [
      field('Name', name),
      field('Address', requestUrl),
      events?.node ?? null,
      h(
        'details.group',
        {},
        h('summary', {}, 'Accounts, headers and payload'),
        accounts.length === 0 ? null : chosenAccounts.node,
        headers.node,
        format.node,
        data?.node ?? null,
      ),
    ],
    submit: 'Save the changes',
    async send() {
      const input = {
        webhookId,
        name: name.value,
        requestUrl: requestUrl.value,
        headers: headers.value(),
        format: format.value(),
        ...(events === null ? {} : { events: events.value() }),
        ...(data === null ? {} : { data: data.value() }),
        ...(accounts.length === 0 ? {} : { accountIds: chosenAccounts.value() }),
      };
      try {
        await act(queries.update, { input });
      } catch (error) {
        const inputs = { name, requestUrl, headers: headers.input, accountIds: chosenAccounts.input };
        error.message = showIssues(error, inputs);
        throw error;
      }
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
      const { node, taken } = secretShown(secret);
      return {
        title: 'The new secret',
        fields: [h('p', {}, 'Store it now: it is not shown again.'), node],
        submit: 'Done',
        taken,
        send: () => null,
      };
    },
  });
