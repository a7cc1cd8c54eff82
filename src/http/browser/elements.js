/** Elements. Text is always set as text, so nothing that is shown can be markup. */

/**
 * @param {string} name of the element, with classes: `button.primary`
 * @param {object} properties attributes, and listeners under `onclick` and the like; `false` and null are left out
 * @param {...(Node | string | null | false)} children
 */
export function h(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  return filled(document.createElement(tag), classes, properties, children);
}

/** The same of SVG. */
export function svg(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), classes, properties, children);
}

function filled(element, classes, properties, children) {
  if (classes.length > 0) element.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Replaces what is in an element. The focus stays on the element with the same `data-key`, and what was scrolled stays where
 * it was.
 */
export function show(parent, ...children) {
  const key = document.activeElement?.closest?.('[data-key]')?.dataset.key;
  const { selectionStart, selectionEnd } = document.activeElement ?? {};
  const scrolled = new Map(
    [...parent.querySelectorAll('[data-scrolls]')].map((element) => [element.dataset.scrolls, element.scrollLeft]),
  );
  parent.replaceChildren(...children.flat().filter(Boolean));
  for (const [name, left] of scrolled) {
    const element = parent.querySelector(`[data-scrolls="${name}"]`);
    if (element) element.scrollLeft = left;
  }
  if (key === undefined || document.activeElement?.dataset?.key === key) return;
  const kept = parent.querySelector(`[data-key="${CSS.escape(key)}"]`);
  kept?.focus({ preventScroll: true });
  // What is typed goes on where it was.
  if (kept instanceof HTMLInputElement && kept.type === 'search') kept.setSelectionRange(selectionStart, selectionEnd);
}
