/** A secret that is shown once, with a button that copies it. */
import { h } from './elements.js';

export function secretShown(secret) {
  const said = h('small', { role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      said.textContent = 'The secret is copied.';
    } catch ({ message }) {
      said.textContent = `Not copied. ${message}`;
    }
  };
  return h(
    'p.secret',
    {},
    h('code', {}, secret),
    h('button', { type: 'button', onclick: copy }, 'Copy the secret'),
    said,
  );
}
