/** A field of a form: its input, what it sends, and what is wrong beside it. */
import { h } from './elements.js';

/**
 * @typedef {object} Field
 * @property {string} path of its value in the input, such as `salary.min`; `$` begins that of a choice that is not sent
 * @property {string} label
 * @property {'text' | 'area' | 'lines' | 'number' | 'choice' | 'box'} [type] `lines` is a list with an entry a line
 * @property {Record<string, string>} [options] of a choice; without one of `''` it cannot be left open
 * @property {boolean | ((sibling: (name: string) => unknown) => boolean)} [required] whether it cannot be left empty; `sibling` has
 *   the value of another field of its object
 * @property {boolean} [stays] whether it cannot be emptied once it is stored
 * @property {RegExp} [pattern] of what is entered
 * @property {(value: unknown, sibling: (name: string) => unknown) => { code: string, limit?: number } | null} [check] what else is
 *   wrong with what is entered
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

const plain = /^-?\d+(?:\.\d+)?$/;
const grouped = /^-?\d{1,3}(?:[,\s'’]\d{3})+(?:\.\d+)?$/;
/** As much as sixty, or sixty thousand: that depends on the country. */
const ambiguous = /^-?\d{1,3}\.\d{3}$/;

/** The number that was entered, `60,000` among them; NaN for anything else. */
export function numberIn(text) {
  if (ambiguous.test(text)) return Number.NaN;
  if (grouped.test(text)) return Number(text.replace(/[,\s'’]/g, ''));
  return plain.test(text) ? Number(text) : Number.NaN;
}

/** What is entered for a value. A number gets a fourth decimal where three would be ambiguous. */
function textOf(value) {
  const text = [value].flat().join('\n');
  return typeof value === 'number' && ambiguous.test(text) ? `${text}0` : text;
}

/** The entries of a list with one a line. */
export const linesIn = (text) =>
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
  const {
    path,
    type = 'text',
    label,
    help,
    required = false,
    stays = false,
    pattern,
    check,
    read = (from) => valueAt(from, path),
  } = field;
  const initial = read(source) ?? (type === 'box' ? false : '');
  const first = type === 'box' ? initial : textOf(initial);
  const id = `field-${made}`;
  const input = inputOf(field, id, first);
  const problem = h('small.problem', { id: `${id}-problem` });
  const told = help === undefined ? null : h('small', { id: `${id}-help` }, help);
  input.setAttribute('aria-describedby', `${problem.id}${told === null ? '' : ` ${told.id}`}`);
  const name = h('label', { for: id }, label);
  // The focus stays on it when the form is made anew.
  input.dataset.key = path;
  const value = () => (type === 'box' ? input.checked : input.value.trim());
  const isStored = stays && first !== '';
  const isRequired = (sibling) => isStored || (typeof required === 'function' ? required(sibling) : required);
  const markRequired = (isSo) => {
    if (isSo) input.setAttribute('aria-required', 'true');
    else input.removeAttribute('aria-required');
  };
  markRequired(isStored || required === true);
  return {
    ...field,
    input,
    /** Says whether it has to be entered, which may depend on what else is. */
    mark: (sibling) => markRequired(isRequired(sibling)),
    /** What the page knows to be wrong with it: an issue without its path, or null. */
    issue(sibling) {
      const entered = value();
      if (entered === '') return isRequired(sibling) ? { code: 'REQUIRED' } : null;
      if (type === 'number' && Number.isNaN(numberIn(entered))) return { code: 'MALFORMED' };
      if (pattern !== undefined && !pattern.test(entered)) return { code: 'MALFORMED' };
      return check?.(entered, sibling) ?? null;
    },
    element: h(`div.field.${type}`, {}, ...(type === 'box' ? [input, name] : [name, input]), told, problem),
    value,
    isChanged: () => value() !== (type === 'box' ? first : first.trim()),
    /** Undefined where nothing is sent. */
    sent: () => (path.startsWith('$') ? undefined : sentAs[type](value())),
    say(text) {
      problem.textContent = text ?? '';
      if (text === null) input.removeAttribute('aria-invalid');
      else input.setAttribute('aria-invalid', 'true');
    },
  };
}
