/** The form that asks for an API key. */
import { h } from './elements.js';

const ofDemo = 'The link that the start of the gateway prints has the demo key.';
let forms = 0;

/**
 * @param {{ problem?: string | null, help?: string, onKey: (key: string) => void }} options `problem`: why the key that there was
 *   does not do
 */
export function keyForm({ problem = null, help = '', onKey }) {
  forms += 1;
  const [id, problemId, helpId] = ['key', 'key-problem', 'key-help'].map((name) => `${name}-${forms}`);
  const input = h('input', {
    id,
    type: 'password',
    autocomplete: 'off',
    required: true,
    'aria-describedby': `${problemId} ${helpId}`,
    'aria-invalid': problem === null ? null : 'true',
  });
  const onsubmit = (event) => {
    event.preventDefault();
    if (input.value.trim() !== '') onKey(input.value.trim());
  };
  return h(
    'form.key-form',
    { onsubmit },
    h('label', { for: id }, 'API key'),
    input,
    h('p.problem', { id: problemId, role: 'alert' }, problem ?? ''),
    h('p.quiet', { id: helpId }, `${help} ${ofDemo} Only this tab keeps the key.`),
    h('button.primary', { type: 'submit' }, 'Use this key'),
  );
}
