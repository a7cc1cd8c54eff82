/** Dialogs: one at a time, over the page. Escape closes one unless it shows a secret, and the focus goes back to what opened it. */
import { h, show } from './elements.js';
import { wordsOf } from './words-of-issues.js';

const dialog = document.getElementById('dialog');

const close = () => dialog.close();

/** Where one is. @param {{ names: string[], at: number }} steps */
export const stepsShown = ({ names, at }) =>
  h(
    'ol.steps',
    {},
    ...names.map((name, place) =>
      h(`li.step${place < at ? '.done' : ''}`, { 'aria-current': place === at ? 'step' : null }, name),
    ),
  );

/**
 * A form. The text of its button says what it does.
 * @typedef {{ title: string, fields: (Node | null)[], submit: string, tone?: string, steps?: object, back?: Form, taken?: Promise<void>,
 *   send: (go: (form: Form) => void) => Promise<Form | null | undefined> }} Form
 *   `send` returns the form that takes its place, or nothing to close; it throws to leave the form open: then its message is
 *   shown. `go` shows another form before.
 *   `taken` is of a form that shows what is not shown again: until it resolves, Escape does not close the form, and its button
 *   is not the one to press
 */

/** @param {Form} form */
function drawn({ title, fields, submit, tone = 'primary', steps = null, back = null, taken = null, send }) {
  const problem = h('p.problem', { role: 'alert' });
  const button = h(`button.${taken === null ? tone : ''}`, { type: 'submit' }, submit);
  let isSending = false;
  const onsubmit = async (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    button.setAttribute('aria-disabled', 'true');
    problem.textContent = '';
    let said = problem;
    try {
      const next = await send((form) => {
        said = go(form);
      });
      if (next) go(next);
      else close();
    } catch ({ message }) {
      said.textContent = message;
    } finally {
      isSending = false;
      button.removeAttribute('aria-disabled');
    }
  };
  const canCancel = back === null && taken === null;
  const form = h(
    'form',
    { onsubmit, 'data-held': taken !== null },
    steps === null ? null : stepsShown(steps),
    h('h2', { id: 'dialog-title', tabindex: '-1' }, title),
    ...fields,
    problem,
    h(
      'div.actions',
      {},
      button,
      canCancel ? h('button', { type: 'button', onclick: close }, 'Cancel') : null,
      back === null ? null : h('button', { type: 'button', onclick: () => go(back) }, 'Back'),
    ),
  );
  taken?.then(() => {
    delete form.dataset.held;
    button.classList.add(tone);
  });
  return { form, problem };
}

/** Shows another form in the place of the one that is open. @returns {HTMLElement} where its problem is said */
function go(form) {
  const next = drawn(form);
  show(dialog, next.form);
  (next.form.querySelector('input, select') ?? document.getElementById('dialog-title')).focus();
  return next.problem;
}

/** @param {Form} form */
export const openForm = (form) => open(drawn(form).form);

/** Not by accident, while it shows what is not shown again. */
const stay = (event) => {
  if (dialog.querySelector('[data-held]') !== null) event.preventDefault();
};

function open(contents) {
  const key = document.activeElement?.closest('[data-key]')?.dataset.key;
  show(dialog, contents);
  dialog.onclose = () => {
    // The event comes late: another dialog may be open by then.
    if (dialog.open) return;
    show(dialog);
    // The page may have been shown anew meanwhile.
    document.querySelector(`[data-key="${CSS.escape(key ?? '')}"]`)?.focus({ preventScroll: true });
  };
  dialog.oncancel = stay;
  // Browsers ignore a refusal of the second `cancel` in a row, but not of the key.
  dialog.onkeydown = (event) => {
    if (event.key === 'Escape') stay(event);
  };
  if (dialog.open) dialog.close();
  dialog.showModal();
}

/**
 * A labelled field, with what is wrong with it beside it.
 * @param {HTMLElement} input with an id
 */
export function field(label, input, help = null) {
  const problem = h('small.problem', { id: `${input.id}-problem` });
  input.setAttribute('aria-describedby', `${input.id}-problem${help === null ? '' : ` ${input.id}-help`}`);
  return h(
    'div.field',
    {},
    h('label', { for: input.id }, label),
    input,
    help === null ? null : h('small', { id: `${input.id}-help` }, help),
    problem,
  );
}

/**
 * Shows issues beside their fields, and puts the focus on the first.
 * @param {{ message: string, issues: object[] }} error
 * @param {Record<string, HTMLElement>} inputs by the name of the input's field
 * @returns {string} what is left to say
 */
export function showIssues({ message, issues }, inputs) {
  for (const input of Object.values(inputs)) {
    input.removeAttribute('aria-invalid');
    const problem = document.getElementById(`${input.id}-problem`);
    if (problem !== null) problem.textContent = '';
  }
  const others = issues.filter((issue) => {
    const name = issue.path.find((each) => Object.hasOwn(inputs, each));
    const problem = name === undefined ? null : document.getElementById(`${inputs[name].id}-problem`);
    if (problem === null) return true;
    inputs[name].setAttribute('aria-invalid', 'true');
    // What is wrong may be folded away.
    inputs[name].closest('details')?.setAttribute('open', '');
    problem.textContent = wordsOf(name, issue);
    return false;
  });
  Object.values(inputs)
    .find((input) => input.hasAttribute('aria-invalid'))
    ?.focus();
  if (issues.length === others.length) return message;
  return others.map((issue) => `${issue.path.join('.')}: ${wordsOf(issue.path.at(-1), issue)}`).join(' ');
}
