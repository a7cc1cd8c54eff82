/** Runs in the browser, unbundled: starts GraphiQL with the options in the page. */
(() => {
  const { assets, signIn, ...options } = JSON.parse(document.getElementById('graphiql').textContent);

  globalThis.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_module, label) => `${assets}/${label}.js`,
  };

  // Storage keys are prefixed: on a development port, other projects are likely to use the same origin.
  const prefix = 'postern:';
  const own = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  const storage = {
    getItem: (key) => localStorage.getItem(prefix + key),
    setItem: (key, value) => localStorage.setItem(prefix + key, value),
    removeItem: (key) => localStorage.removeItem(prefix + key),
    clear() {
      for (const key of own()) localStorage.removeItem(key);
    },
    get length() {
      return own().length;
    },
  };

  const storedTabs = () => {
    try {
      return JSON.parse(storage.getItem('graphiql:tabState'));
    } catch {
      return null;
    }
  };
  const stored = storedTabs();
  const asked = new URLSearchParams(location.search);
  const linked = asked.has('query') ? { query: asked.get('query'), variables: asked.get('variables') } : undefined;
  const tabs = [...(linked === undefined ? [] : [linked]), ...options.defaultTabs];
  // GraphiQL opens the tab that has the initial query, or an additional, empty tab if none has.
  const start = linked ?? stored?.tabs?.[stored.activeTabIndex] ?? tabs[0];

  // Stored by sign-in.js, for this tab and for as long as it is open.
  const key = sessionStorage.getItem('postern:demo-key') ?? '';
  const headers = JSON.stringify({ 'X-API-KEY': key }, null, 2);
  document.getElementById('note').hidden = !signIn || key !== '';
  const persistHeaders = storage.getItem('graphiql:shouldPersistHeaders') === 'true';

  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    ...options,
    headers,
    defaultTabs: tabs,
    initialQuery: start.query ?? '',
    initialVariables: start.variables ?? '',
    ...(persistHeaders ? { initialHeaders: start.headers ?? headers } : {}),
    storage,
    // API keys are stored only if the user chooses so in the settings. The default is null, because false would hide
    // that choice.
    shouldPersistHeaders: persistHeaders || null,
    // Tabs are stored. Writing each keystroke into the URL as well would fill the browser's history.
    onEditQuery() {},
  });
})();
