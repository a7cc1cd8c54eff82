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
      'A key with the scope webhooks:read shows them, one with webhooks:write also changes them. Only this tab keeps the key.',
    ),
    h('button.primary', { type: 'submit' }, 'Show my webhooks'),
  );
}
