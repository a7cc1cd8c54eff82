/** The settings of a webhook as parts of a form: each has what is shown, and what was entered. */
import { field } from './dialog.js';
import { h } from './elements.js';
import { capital, words } from './format.js';
import { bodyOfFields, isWhole } from './request.js';

export const textField = (id, properties) => h('input', { id, autocomplete: 'off', ...properties });

const box = (value, checked, label, onchange = null) =>
  h('label.box', {}, h('input', { type: 'checkbox', value, checked, onchange }), label);

const checkedIn = (node) => [...node.querySelectorAll('input[type="checkbox"]:checked')].map(({ value }) => value);

/** @param {string[] | null} chosen null for all */
export function eventsField(samples, chosen, onChange = null) {
  const boxes = samples.map(({ event }) =>
    box(event, chosen === null || chosen.includes(event), capital(words(event)), onChange),
  );
  const node = h('fieldset', { id: 'events', tabindex: '-1' }, h('legend', {}, 'Events'), ...boxes);
  return { node, value: () => checkedIn(node) };
}

/**
 * @param {{ accountId: string, name: string | null, type: string }[]} accounts that the key can see
 * @param {string[] | null} chosen null for all
 * @param {boolean} isLimited a key of some accounts cannot listen to all
 */
export function accountsField(accounts, chosen, isLimited) {
  const boxes = h(
    'div.boxes',
    {},
    ...accounts.map(({ accountId, name, type }) =>
      box(accountId, chosen === null || chosen.includes(accountId), `${name ?? accountId} (${words(type)})`),
    ),
  );
  const some = h('select', { id: 'accounts', onchange: () => update() }, [
    isLimited ? null : h('option', { value: 'all' }, 'All, also those that are connected later'),
    h('option', { value: 'some', selected: chosen !== null }, 'Only some'),
  ]);
  const update = () => {
    boxes.hidden = some.value === 'all';
  };
  update();
  const node = h('div.group', {}, field('Accounts', some), boxes);
  return { node, input: some, value: () => (some.value === 'all' ? null : checkedIn(boxes)) };
}

export function formatField(format, onChange = null) {
  const input = h(
    'select',
    { id: 'format', onchange: onChange },
    h('option', { value: 'JSON' }, 'JSON'),
    h('option', { value: 'FORM', selected: format === 'FORM' }, 'Form (application/x-www-form-urlencoded)'),
  );
  return { node: field('Format', input), value: () => input.value };
}

/** @param {{ key: string, value: string }[]} headers */
export function headersField(headers) {
  const rows = h('div.pairs', { id: 'headers', tabindex: '-1' });
  const add = ({ key = '', value = '' }) => {
    const row = h(
      'div.pair',
      {},
      h('input', { 'aria-label': 'Name of a header', placeholder: 'Authorization', value: key, autocomplete: 'off' }),
      h('input', { 'aria-label': 'Value of a header', placeholder: 'Bearer …', value, autocomplete: 'off' }),
      h('button', { type: 'button', onclick: () => row.remove(), 'aria-label': 'Remove the header' }, '×'),
    );
    rows.append(row);
    return row;
  };
  for (const each of headers) add(each);
  const node = h(
    'fieldset.group',
    {},
    h('legend', {}, 'Headers'),
    rows,
    h('small.problem', { id: 'headers-problem' }),
    h('button.adds', { type: 'button', onclick: () => add({}).querySelector('input').focus() }, 'Add a header'),
  );
  const value = () =>
    [...rows.children]
      .map((row) => [...row.querySelectorAll('input')].map((input) => input.value))
      .filter(([key]) => key.trim() !== '')
      .map(([key, text]) => ({ key: key.trim(), value: text }));
  return { node, input: rows, value };
}

const keysOf = (samples) => [
  ...new Set(samples.flatMap(({ payload }) => Object.keys(payload).filter((key) => key !== 'event'))),
];

/**
 * Which data a payload has, under which names, with a sample of it.
 * @param {{ event: string, source: string, payload: object }[]} samples of the source
 * @param {{ key: string, name: string }[] | null} data null for everything
 * @param {{ name: () => string, events: () => string[], format: () => string }} form what else the sample follows
 */
export function dataField(samples, data, form) {
  const names = new Map((data ?? []).map(({ key, name }) => [key.toLowerCase(), name]));
  const sample = h('pre', { tabindex: '0', 'aria-label': 'Sample payload' });
  const rows = keysOf(samples).map((key) => {
    const name = names.get(key) ?? key;
    const isChosen = data === null || names.has(key);
    const text = h('input', { 'aria-label': `Name of ${words(key)}`, value: name, maxlength: 255, oninput: update });
    return h('div.pair', { 'data-name': key }, box(key, isChosen, capital(words(key)), update), text);
  });
  const entered = () =>
    rows.flatMap((row) => {
      const [isChosen, name] = row.querySelectorAll('input');
      return isChosen.checked ? [{ key: row.dataset.name, name: name.value.trim() || row.dataset.name }] : [];
    });
  function update() {
    const [event] = form.events();
    const { payload: sampled } = samples.find((each) => each.event === event) ?? samples[0];
    const hasName = Object.hasOwn(sampled, 'webhook_name') && form.name() !== '';
    const payload = hasName ? { ...sampled, webhook_name: form.name() } : sampled;
    const chosen = entered().filter(({ key }) => Object.hasOwn(payload, key));
    const fields = [['event', payload.event], ...chosen.map(({ key, name }) => [name, payload[key]])];
    sample.textContent = bodyOfFields(fields, form.format(), 2);
  }
  update();
  const isOpen = data !== null && entered().some(({ key, name }) => key !== name);
  const choice = isWhole(samples[0].source)
    ? null
    : h('details', { open: isOpen }, h('summary', {}, 'Choose and rename fields'), h('div.pairs', {}, ...rows));
  const isEverything = () => entered().length === rows.length && entered().every(({ key, name }) => key === name);
  const value = () =>
    choice === null || isEverything() ? null : entered().map(({ key, name }) => ({ key: key.toUpperCase(), name }));
  return { node: h('div.group', {}, choice, h('h3', {}, 'Sample payload'), sample), update, value };
}
