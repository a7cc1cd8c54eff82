/** Runs in the browser, as it is: starts GraphiQL with what the page says. */
(() => {
  const { assets, ...options } = JSON.parse(document.getElementById('graphiql').textContent);

  globalThis.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_module, label) => `${assets}/${label}.js`,
  };

  // Keys of our own: on a development port, what is stored for this address is likely to be another project's.
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
  // GraphiQL opens the tab that holds what it starts with, and a further, empty one where none does.
  const start = linked ?? stored?.tabs?.[stored.activeTabIndex] ?? tabs[0];
  const persistHeaders = storage.getItem('graphiql:shouldPersistHeaders') === 'true';

  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    ...options,
    defaultTabs: tabs,
    initialQuery: start.query ?? '',
    initialVariables: start.variables ?? '',
    ...(persistHeaders ? { initialHeaders: start.headers ?? options.headers } : {}),
    storage,
    // API keys are stored where the settings dialog is told so. Neither true nor false is the default: false would take
    // that choice away.
    shouldPersistHeaders: persistHeaders || null,
    // Tabs are stored; putting each keystroke into the address as well would fill the browser's history with operations.
    onEditQuery() {},
  });
})();
