/** GraphiQL's editors, by Monaco, which is all of GraphiQL that can be reached from outside. */

/** Of the contrast that WCAG AA asks for, and in the colours of the page. GraphiQL's own themes have neither. */
const themes = {
  'postern-light': {
    base: 'vs',
    ground: '#ffffff',
    accent: '#5b3fd6',
    tint: '#ece8fc',
    lineNumber: '#4d6a78',
    tokens: { comment: '#006b00', number: '#05663f', 'argument.identifier.gql': '#5753c0' },
  },
  'postern-dark': {
    base: 'vs-dark',
    ground: '#212a3b',
    accent: '#b3a2ff',
    tint: '#352f5c',
    lineNumber: '#a3acbf',
    tokens: { comment: '#8fc27a', number: '#b5cea8', 'argument.identifier.gql': '#aaa5ff' },
  },
};

export const editorTheme = { light: 'postern-light', dark: 'postern-dark' };

function defineTheme(name, { base, ground, accent, tint, lineNumber, tokens }) {
  const on = (color, parts) => Object.fromEntries(parts.map((part) => [part, color]));
  globalThis.monaco.editor.defineTheme(name, {
    base,
    inherit: true,
    rules: Object.entries(tokens).map(([token, foreground]) => ({ token, foreground })),
    colors: {
      ...on('#00000000', ['editor.background', 'scrollbar.shadow']),
      ...on(ground, ['editorHoverWidget.background', 'editorSuggestWidget.background', 'editorWidget.background']),
      ...on(ground, ['menu.background', 'quickInput.background']),
      ...on(tint, ['list.hoverBackground', 'editorSuggestWidget.selectedBackground', 'menu.selectionBackground']),
      ...on(accent, ['focusBorder', 'textLink.foreground', 'textLink.activeForeground', 'list.highlightForeground']),
      ...on(accent, ['list.focusHighlightForeground', 'editorSuggestWidget.selectedForeground']),
      ...on(lineNumber, ['editorLineNumber.foreground', 'editorLineNumber.activeForeground']),
    },
  });
}

/**
 * Has to be called when Monaco is there, and before GraphiQL makes editors of it.
 * @param {(query: string) => void} onOperation hears of the text of the operation: at first, and when it has changed
 */
export function prepareEditors(onOperation) {
  for (const [name, theme] of Object.entries(themes)) defineTheme(name, theme);
  // GraphiQL follows the system with its style sheet, but not with its editors.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    const isChosen = /\bgraphiql-(light|dark)\b/.test(document.body.className);
    if (!isChosen) globalThis.monaco.editor.setTheme(matches ? editorTheme.dark : editorTheme.light);
  });
  globalThis.monaco.editor.onDidCreateEditor((editor) => {
    // A dimmed number has too little contrast.
    editor.updateOptions({ wordWrap: 'on', fontSize: 13, renderFinalNewline: 'on' });
    // Once it is whole. Tab indents: without this the keyboard would not come out again.
    queueMicrotask(() =>
      editor.addAction({
        id: 'postern-leave',
        label: 'Leave the Editor',
        keybindings: [globalThis.monaco.KeyCode.Escape],
        keybindingContext: 'editorTextFocus && !suggestWidgetVisible && !findWidgetVisible',
        run: () => editor.getContainerDomNode().focus(),
      }),
    );
    const tell = () => {
      if (isOf(editor, 'operation.graphql')) onOperation(editor.getValue());
    };
    editor.onDidChangeModelContent(tell);
    queueMicrotask(tell);
    // An operation from the history has no headers (storage.js): it keeps those that are there.
    const setValue = editor.setValue.bind(editor);
    editor.setValue = (text) => {
      if (text !== '' || !isOf(editor, 'request-headers.json')) setValue(text);
    };
  });
}

/** @param {string} file `operation.graphql`, `variables.json`, `request-headers.json` or `response.json` */
const editorOf = (file) => globalThis.monaco.editor.getEditors().find((editor) => isOf(editor, file));
const isOf = (editor, file) => editor.getModel()?.uri.path.endsWith(file);

/** The operation that can be seen: its document and its variables, as texts. */
export const presentOperation = () => ({
  query: editorOf('operation.graphql').getValue(),
  variables: editorOf('variables.json').getValue(),
});

/** Shows an operation in place of the present one, which undo brings back, and without its response. */
export function showOperation({ query, variables }) {
  replaceText('operation.graphql', query);
  replaceText('variables.json', variables);
  editorOf('response.json').setValue('');
}

/** Shows other variables, which undo takes back. Equal ones leave the editor as it is. */
export function showVariables(text) {
  if (text !== presentOperation().variables) replaceText('variables.json', text);
}

/** Folds the variables away while there are none, unless the user is in an editor; opens them for an operation that has some. */
export function foldEmptyVariables() {
  // GraphiQL sets the variables after the operation.
  setTimeout(() => {
    const tools = document.querySelector('.graphiql-editor-tools');
    if (tools === null || document.activeElement.closest('.monaco-editor') !== null) return;
    const [variables] = tools.querySelectorAll('button');
    const toggle = tools.querySelector('.graphiql-toggle-editor-tools');
    const isOpen = toggle.getAttribute('aria-label').startsWith('Hide');
    const isEmpty = ['', '{}'].includes((editorOf('variables.json')?.getValue() ?? '').replaceAll(/\s/g, ''));
    if (isEmpty && isOpen && variables.classList.contains('active')) toggle.click();
    else if (!isEmpty && !isOpen) variables.click();
  });
}

function replaceText(file, text) {
  const editor = editorOf(file);
  editor.pushUndoStop();
  editor.executeEdits('postern', [{ range: editor.getModel().getFullModelRange(), text }]);
  editor.pushUndoStop();
  editor.setPosition({ lineNumber: 1, column: 1 });
  editor.setScrollTop(0);
}
