/** Forms from tables of fields: their inputs, what they change, and what is wrong beside each. */
import { h } from './elements.js';
import { issueText } from './failures.js';

/**
 * @typedef {object} Field
 * @property {string} path of its value in the input, such as `salary.min`; `$` begins that of a choice that is not sent
 * @property {string} label
 * @property {'text' | 'area' | 'number' | 'choice' | 'box'} [type]
 * @property {Record<string, string>} [options] of a choice; without one of `''` it cannot be left open
 * @property {(source: object) => unknown} [read] its value; by default at its path
 * @property {(values: Record<string, unknown>) => boolean} [when] whether it applies, by the values of all
 * @property {Record<string, string>} [words] what is wrong with it, by the code of an issue
 * @property {string} [help]
 * @property {object} [attributes]
 */

const valueAt = (source, path) => path.split('.').reduce((value, name) => value?.[name], source);

let forms = 0;

function inputOf({ type = 'text', options, attributes }, id, value) {
  const common = { id, autocomplete: 'off', ...attributes };
  if (type === 'choice') {
    const choices = Object.entries(options).filter(([each]) => each !== '' || value === '');
    const items = choices.map(([each, text]) => h('option', { value: each, selected: each === value }, text));
    return h('select', common, ...items);
  }
  if (type === 'area') {
    const area = h('textarea', { rows: 6, ...common });
    area.value = value;
    return area;
  }
  if (type === 'box') return h('input', { ...common, type: 'checkbox', checked: value });
  return h('input', { type: 'text', ...common, value, ...(type === 'number' && { inputmode: 'decimal' }) });
}

/** A number as it was typed, if it is none: the gateway says so. */
const numberIn = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

function createField(field, id, source) {
  const { path, type = 'text', label, help, read = (from) => valueAt(from, path) } = field;
  const initial = read(source) ?? (type === 'box' ? false : '');
  const first = type === 'box' ? initial : String(initial);
  const input = inputOf(field, id, first);
  const problem = h('small.problem', { id: `${id}-problem` });
  const told = help === undefined ? null : h('small', { id: `${id}-help` }, help);
  input.setAttribute('aria-describedby', `${problem.id}${told === null ? '' : ` ${told.id}`}`);
  const name = h('label', { for: id }, label);
  const value = () => (type === 'box' ? input.checked : input.value.trim());
  return {
    ...field,
    input,
    element: h(`div.field.${type}`, {}, ...(type === 'box' ? [input, name] : [name, input]), told, problem),
    value,
    isChanged: () => value() !== (type === 'box' ? first : first.trim()),
    /** Undefined where nothing is sent. */
    sent() {
      const given = value();
      if (path.startsWith('$') || (given === '' && type !== 'text' && type !== 'area')) return undefined;
      return type === 'number' ? numberIn(given) : given;
    },
    say(text) {
      problem.textContent = text ?? '';
      input.toggleAttribute('aria-invalid', text !== null);
      if (text !== null) input.setAttribute('aria-invalid', 'true');
    },
  };
}

/**
 * @param {{ title?: string, fields: Field[] }[]} groups
 * @param {object} source of the values
 */
export function createForm(groups, source) {
  forms += 1;
  const made = groups.map(({ title, fields }, group) => ({
    title,
    fields: fields.map((field, index) => createField(field, `form-${forms}-${group}-${index}`, source)),
  }));
  const fields = made.flatMap((group) => group.fields);
  const applying = () => fields.filter(({ element }) => !element.hidden);
  const keyOf = ({ path }) => path.replace('$', '').split('.')[0];

  function arrange() {
    const values = Object.fromEntries(fields.map(({ path, value }) => [path, value()]));
    for (const { element, when } of fields) element.hidden = when !== undefined && !when(values);
  }

  /** The values of the fields that apply, nested by their paths. */
  function inputOf(wanted) {
    const input = {};
    for (const field of applying().filter(wanted)) {
      const value = field.sent();
      if (value === undefined) continue;
      const names = field.path.split('.');
      const last = names.pop();
      names.reduce((at, name) => (at[name] ??= {}), input)[last] = value;
    }
    return input;
  }

  arrange();
  const element = h(
    'div.form',
    { oninput: arrange },
    ...made.map(({ title, fields: own }) =>
      h('fieldset', {}, title === undefined ? null : h('legend', {}, title), ...own.map((each) => each.element)),
    ),
  );
  return {
    element,
    isChanged: () => fields.some((field) => field.isChanged()),
    all: () => inputOf(() => true),
    /** What has changed: an object as a whole, as the API replaces it. */
    changed() {
      const keys = new Set(fields.filter((field) => field.isChanged()).map(keyOf));
      return inputOf((field) => keys.has(keyOf(field)));
    },
    /**
     * Shows issues at their fields, and moves the focus to the first.
     * @param {{ path: string[] }[]} issues
     * @returns {string[]} texts of those of no field
     */
    showIssues(issues) {
      for (const field of fields) field.say(null);
      const others = [];
      for (const issue of issues) {
        const path = issue.path.join('.');
        const isOf = (field) => path === field.path || path.startsWith(`${field.path}.`);
        // One of an object stands at its first field.
        const field =
          applying().find(isOf) ?? applying().find((each) => each.path.replace('$', '').startsWith(`${path}.`));
        if (field === undefined) others.push(issueText(issue));
        else field.say(issueText(issue, field.words));
      }
      element.querySelector('[aria-invalid]')?.focus();
      return others;
    },
    /** @returns {boolean} whether there is such a field */
    showFailure(path, text) {
      const field = applying().find((each) => each.path === path);
      field?.say(text);
      field?.input.focus();
      return field !== undefined;
    },
  };
}
