/** The form that asks for an API key. */
import { h } from './elements.js';

/** @param {string | null} problem why the key that there was does not do */
export function signIn(problem, onKey) {
  const input = h('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    required: true,
    'aria-describedby': problem === null ? 'key-help' : 'key-problem key-help',
    'aria-invalid': problem === null ? null : 'true',
  });
  const onsubmit = (event) => {
    event.preventDefault();
    if (input.value.trim() !== '') onKey(input.value.trim());
  };
  return h(
    'form.card.sign-in',
    { onsubmit },
    h('h2', {}, 'How are your webhooks?'),
    h('label', { for: 'key' }, 'API key'),
    input,
    problem === null ? null : h('p.problem', { id: 'key-problem', role: 'alert' }, problem),
    h(
      'p.quiet',
      { id: 'key-help' },
      'With the scope webhooks:read it shows them, with webhooks:write it also acts. Only this tab keeps it.',
    ),
    h('button.primary', { type: 'submit' }, 'Show my webhooks'),
  );
}
