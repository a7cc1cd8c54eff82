/** A button that folds out further buttons. */
import { h } from './elements.js';

const key = 'menu';

/** @param {{ open: Set<string>, onMenu: () => void }} view @param {...(Node | null)} items */
export function menu({ open, onMenu }, ...items) {
  const isOpen = open.has(key);
  return h(
    'div.menu',
    {},
    h('button', { type: 'button', 'data-key': key, 'aria-expanded': String(isOpen), onclick: onMenu }, 'More'),
    isOpen ? h('div.items', {}, ...items) : null,
  );
}

/**
 * Closes it by Escape, and by whatever is pressed. Its button then has the focus before one of its own does its work, and gets it
 * back from a dialog.
 * @param {(hasFocus: boolean) => void} onClose
 */
export function closeMenu({ open }, onClose) {
  const close = (hasFocus) => {
    if (open.delete(key)) onClose(hasFocus);
  };
  const onClick = ({ target }) => {
    if (!target.closest?.(`[data-key="${key}"]`)) close(target.closest?.('.items') !== null);
  };
  addEventListener('click', onClick, { capture: true });
  addEventListener('keydown', ({ key: pressed }) => {
    if (pressed === 'Escape') close(true);
  });
}
