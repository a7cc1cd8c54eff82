/** What assistive technology cannot use in the markup of GraphiQL, and what the history does not say, corrected as it appears. */
import { labelHistory } from './history.js';

/** @param {Element} root where GraphiQL is */
export function correctMarkup(root) {
  const correct = () => {
    // A tab with buttons in it: they cannot be reached. It is a list of buttons, of which one is current.
    for (const tab of root.querySelectorAll('.graphiql-tab[aria-selected]')) {
      tab.querySelector('.graphiql-tab-button').setAttribute('aria-current', tab.getAttribute('aria-selected'));
      tab.removeAttribute('aria-selected');
      tab.removeAttribute('role');
      tab.parentElement.removeAttribute('role');
      root.querySelector('[role="tabpanel"]')?.setAttribute('role', 'region');
    }
    // Where the keyboard stops, and nothing says why.
    for (const editor of root.querySelectorAll('.graphiql-editor:not([role])')) {
      editor.setAttribute('role', 'group');
      editor.setAttribute('aria-label', 'Enter edits, Escape leaves');
    }
    // Folded away is beyond the edge: the keyboard would go there.
    const tools = root.querySelector('.graphiql-toggle-editor-tools')?.getAttribute('aria-label') ?? '';
    const editors = root.querySelector('.graphiql-editor-tool');
    if (editors !== null && editors.inert !== tools.startsWith('Show')) editors.inert = tools.startsWith('Show');
    // "Set active", whatever the operation is called.
    for (const item of root.querySelectorAll('.graphiql-history-item-label[aria-label]')) {
      item.removeAttribute('aria-label');
    }
    // The names of minified functions. The buttons around have names of their own.
    for (const title of root.querySelectorAll('svg > title:not(:empty)')) {
      if (!/^\w+ icon$/.test(title.textContent)) continue;
      title.textContent = '';
      title.parentElement.setAttribute('aria-hidden', 'true');
    }
    root
      .querySelector('.graphiql-explorer-root select:not([aria-label])')
      ?.setAttribute('aria-label', 'Add an operation');
    labelHistory(root);
  };
  new MutationObserver(correct).observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-selected', 'aria-label'],
  });
}
