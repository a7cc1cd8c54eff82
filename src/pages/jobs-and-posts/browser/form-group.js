/** The groups of a form: fields, or a list of rows of fields, which are added, moved and removed. */
import { h } from './elements.js';
import { createField } from './form-field.js';

/**
 * @typedef {object} Group
 * @property {string} [title]
 * @property {string} [help]
 * @property {import('./form-field.js').Field[]} fields
 */

/**
 * @typedef {object} List
 * @property {string} title
 * @property {string} list its name in the input: a list, each entry of which has one of `kinds`
 * @property {string} none what is said of an empty one
 * @property {string} place the field of an entry that has its place
 * @property {(source: object) => object[]} read its entries
 * @property {(entry: object) => string} kindOf
 * @property {Record<string, { title: (place: number) => string, add: string, fields: import('./form-field.js').Field[] }>} kinds
 */

/** The name in the input that a field is part of. */
export const keyOf = ({ path }) => path.replace('$', '').split('.')[0];

const fieldset = (title, ...children) =>
  h('fieldset', {}, title === undefined ? null : h('legend', {}, title), ...children);

/**
 * @param {Group | List} group
 * @param {object} source of the values
 * @returns its element, its fields, and what it sends of some names of the input
 */
export const createGroup = (group, source) =>
  group.list === undefined ? createFields(group, source) : createList(group, source);

function createFields({ title, help, fields: given }, source) {
  const fields = given.map((field) => createField(field, source));
  const told = help === undefined ? null : h('small.help', { id: `${fields[0].input.id}-group` }, help);
  const element = fieldset(title, told, ...fields.map((field) => field.element));
  if (told !== null) element.setAttribute('aria-describedby', told.id);
  return {
    element,
    fields: () => fields,
    changedKeys: () => fields.filter((field) => field.isChanged()).map(keyOf),
    /** Adds the values of the fields that apply, nested by their paths. */
    addTo(input, isWanted) {
      for (const field of fields) {
        const value = field.element.hidden || !isWanted(keyOf(field)) ? undefined : field.sent();
        if (value === undefined) continue;
        const names = field.path.split('.');
        const last = names.pop();
        names.reduce((at, name) => (at[name] ??= {}), input)[last] = value;
      }
    },
  };
}

function createList({ title, list, none, place, read, kindOf, kinds }, source) {
  const empty = h('p.quiet', {}, none);
  const shown = h('div.rows', {});
  const adds = Object.entries(kinds).map(([kind, { add }]) =>
    h('button', { type: 'button', onclick: () => focusOn(addRow(kind, {})) }, add),
  );
  let rows = [];

  const focusOn = (row) => (row?.fields[0].input ?? adds[0]).focus();

  /** Shows the rows in their order. What is sent, and where an issue is, follows from it. */
  function arrange(next) {
    rows = next;
    shown.replaceChildren(...rows.map(({ element }) => element));
    empty.hidden = rows.length > 0;
    for (const [index, { kind, name, fields, up, down }] of rows.entries()) {
      name.textContent = kinds[kind].title(index + 1);
      for (const field of fields) {
        field.path = [list, index, kind, field.name].join('.');
        field.input.dataset.key = field.path;
      }
      up.disabled = index === 0;
      down.disabled = index === rows.length - 1;
    }
    // As typing does: what was said of the form is past.
    shown.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function createRow(kind, entry) {
    const fields = kinds[kind].fields.map((field) => ({ ...createField(field, entry), name: field.path }));
    const tool = (text, onclick) => h('button', { type: 'button', onclick }, text);
    const move = (by) => {
      const index = rows.indexOf(row);
      arrange(rows.toSpliced(index, 1).toSpliced(index + by, 0, row));
      const [button, other] = by < 0 ? [up, down] : [down, up];
      (button.disabled ? other : button).focus();
    };
    const remove = () => {
      const index = rows.indexOf(row);
      arrange(rows.toSpliced(index, 1));
      focusOn(rows[index] ?? rows.at(-1));
    };
    const [up, down] = [tool('Move up', () => move(-1)), tool('Move down', () => move(1))];
    const name = h('strong', { id: `${fields[0].input.id}-row` });
    const element = h(
      'div.row',
      { role: 'group', 'aria-labelledby': name.id },
      h('div.head', {}, name, h('div.tools', {}, up, down, tool('Remove', remove))),
      ...fields.map((field) => field.element),
    );
    const row = { kind, name, fields, up, down, element };
    return row;
  }

  function addRow(kind, entry) {
    const row = createRow(kind, entry);
    arrange([...rows, row]);
    return row;
  }

  for (const entry of read(source)) addRow(kindOf(entry), entry);
  arrange(rows);
  const first = rows;

  const isChanged = () =>
    rows.length !== first.length ||
    rows.some((row, index) => row !== first[index] || row.fields.some((field) => field.isChanged()));
  const entryOf = ({ kind, fields }, index) => {
    const values = fields.map((field) => [field.name, field.sent()]).filter(([, value]) => value !== undefined);
    return { [kind]: { ...Object.fromEntries(values), [place]: index + 1 } };
  };
  return {
    element: fieldset(title, empty, shown, h('div.tools', {}, ...adds)),
    fields: () => rows.flatMap(({ fields }) => fields),
    changedKeys: () => (isChanged() ? [list] : []),
    addTo(input, isWanted) {
      if (isWanted(list)) input[list] = rows.map(entryOf);
    },
  };
}
