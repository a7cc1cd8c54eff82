/** Links out of the page. */
import { h } from './elements.js';

/**
 * A link to another site; null for an address of another kind, such as a script.
 * @param {string} about what is read out after the text
 */
export function linked(url, text, about = '') {
  if (!/^https?:\/\//i.test(url ?? '')) return null;
  const label = about === '' ? null : `${text} ${about}`;
  return h('a', { href: url, target: '_blank', rel: 'noopener noreferrer', 'aria-label': label }, text);
}
