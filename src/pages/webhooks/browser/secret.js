/** A secret that is shown once, with a button that copies it. */
import { copyText } from './clipboard.js';
import { h } from './elements.js';

/** @returns {{ node: Node, taken: Promise<void> }} `taken` resolves once the secret is copied */
export function secretShown(secret) {
  const { promise: taken, resolve } = Promise.withResolvers();
  const said = h('small', { role: 'status' });
  const button = h('button.primary', { type: 'button', onclick: () => copy() }, 'Copy the secret');
  const copy = async () => {
    try {
      await copyText(secret);
      said.textContent = 'The secret is copied.';
      button.classList.remove('primary');
      resolve();
    } catch ({ message }) {
      said.textContent = `Not copied. ${message}`;
    }
  };
  return { node: h('p.secret', {}, h('code', {}, secret), button, said), taken };
}
