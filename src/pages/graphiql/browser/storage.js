/**
 * Where GraphiQL keeps its tabs, its history and its settings: local storage. API keys are not in it unless the user chooses so
 * in the settings.
 */

/** On a development port, other projects are likely to use the same origin. */
const prefix = 'postern:';

/** GraphiQL leaves the headers out of its tabs by itself, but not out of these. */
const histories = ['graphiql:queries', 'graphiql:favorites'];

const withoutHeaders = (history) =>
  JSON.stringify(JSON.parse(history), (name, value) => (name === 'headers' ? undefined : value));

const own = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** A `Storage`. */
export const storage = {
  getItem: (key) => localStorage.getItem(prefix + key),
  setItem: (key, value) => localStorage.setItem(prefix + key, histories.includes(key) ? withoutHeaders(value) : value),
  removeItem: (key) => localStorage.removeItem(prefix + key),
  clear() {
    for (const key of own()) localStorage.removeItem(key);
  },
  get length() {
    return own().length;
  },
};
