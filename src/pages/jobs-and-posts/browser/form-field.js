/** A field of a form: its input, what it sends, and what is wrong beside it. */
import { h } from './elements.js';

/**
 * @typedef {object} Field
 * @property {string} path of its value in the input, such as `salary.min`; `$` begins that of a choice that is not sent
 * @property {string} label
 * @property {'text' | 'area' | 'lines' | 'number' | 'choice' | 'box'} [type] `lines` is a list with an entry a line
 * @property {Record<string, string>} [options] of a choice; without one of `''` it cannot be left open
 * @property {(source: object) => unknown} [read] its value; by default at its path
 * @property {(values: Record<string, unknown>) => boolean} [when] whether it applies, by the values of all
 * @property {Record<string, string>} [words] what is wrong with it, by the code of an issue
 * @property {string} [help]
 * @property {object} [attributes]
 */

const valueAt = (source, path) => path.split('.').reduce((value, name) => value?.[name], source);

let made = 0;

const rows = { area: 6, lines: 4 };

function inputOf({ type = 'text', options, attributes }, id, value) {
  const common = { id, autocomplete: 'off', ...attributes };
  if (type === 'choice') {
    const choices = Object.entries(options).filter(([each]) => each !== '' || value === '');
    const items = choices.map(([each, text]) => h('option', { value: each, selected: each === value }, text));
    return h('select', common, ...items);
  }
  if (type in rows) {
    const area = h('textarea', { rows: rows[type], ...common });
    area.value = value;
    return area;
  }
  if (type === 'box') return h('input', { ...common, type: 'checkbox', checked: value });
  return h('input', { type: 'text', ...common, value, ...(type === 'number' && { inputmode: 'decimal' }) });
}

/** A number as it was typed, if it is none: the gateway says so. */
const numberIn = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

const linesIn = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** What was entered as it is sent, by the type of the field; undefined for nothing. */
const sentAs = {
  text: (given) => given,
  area: (given) => given,
  lines: linesIn,
  number: (given) => (given === '' ? undefined : numberIn(given)),
  choice: (given) => given || undefined,
  box: (given) => given,
};

/**
 * @param {Field} field
 * @param {object} source of its value
 */
export function createField(field, source) {
  made += 1;
  const { path, type = 'text', label, help, read = (from) => valueAt(from, path) } = field;
  const initial = read(source) ?? (type === 'box' ? false : '');
  const first = type === 'box' ? initial : [initial].flat().join('\n');
  const id = `field-${made}`;
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
    sent: () => (path.startsWith('$') ? undefined : sentAs[type](value())),
    say(text) {
      problem.textContent = text ?? '';
      input.toggleAttribute('aria-invalid', text !== null);
      if (text !== null) input.setAttribute('aria-invalid', 'true');
    },
  };
}
