/** Dialogs: one at a time, over the page. Escape closes one, and the focus goes back to what opened it. */
import { h, show } from './elements.js';

const dialog = document.getElementById('dialog');

/**
 * Shows a form. The text of its button says what it does.
 * @param {{ title: string, fields: (Node | null)[], submit: string, tone?: string, send: () => Promise<void> }} form
 *   `send` throws to leave the form open; it shows its failure itself, or the message is shown
 */
export function openForm({ title, fields, submit, tone = 'primary', send }) {
  const problem = h('p.problem', { role: 'alert' });
  const button = h(`button.${tone}`, { type: 'submit' }, submit);
  let isSending = false;
  const onsubmit = async (event) => {
    event.preventDefault();
    if (isSending) return;
    isSending = true;
    button.setAttribute('aria-disabled', 'true');
    problem.textContent = '';
    try {
      await send();
      dialog.close();
    } catch ({ message }) {
      problem.textContent = message;
    } finally {
      isSending = false;
      button.removeAttribute('aria-disabled');
    }
  };
  const form = h(
    'form',
    { onsubmit },
    h('h2', { id: 'dialog-title' }, title),
    ...fields,
    problem,
    h('div.actions', {}, button, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel')),
  );
  open(form);
}

/** Shows what is to be read and closed. */
export const openText = (title, ...contents) =>
  open(
    h(
      'div.form',
      {},
      h('h2', { id: 'dialog-title' }, title),
      ...contents,
      h('div.actions', {}, h('button.primary', { type: 'button', onclick: () => dialog.close() }, 'Close')),
    ),
  );

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
 * @param {{ path: string[], message: string }[]} issues
 * @param {Record<string, HTMLElement>} inputs by the name of the input's field
 * @returns {{ path: string[], message: string }[]} those of no field
 */
export function showIssues(issues, inputs) {
  for (const input of Object.values(inputs)) {
    input.removeAttribute('aria-invalid');
    document.getElementById(`${input.id}-problem`).textContent = '';
  }
  const others = issues.filter(({ path, message }) => {
    const input = inputs[path.find((name) => Object.hasOwn(inputs, name))];
    if (input === undefined) return true;
    input.setAttribute('aria-invalid', 'true');
    document.getElementById(`${input.id}-problem`).textContent = `It ${message}.`;
    return false;
  });
  Object.values(inputs)
    .find((input) => input.hasAttribute('aria-invalid'))
    ?.focus();
  return others;
}
