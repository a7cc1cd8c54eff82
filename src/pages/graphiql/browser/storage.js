/**
 * Where GraphiQL keeps its tabs, its history and its settings: local storage. API keys are not in it unless the user chooses so
 * in the settings.
 */

/** On a development port, other projects are likely to use the same origin. */
const prefix = 'postern:';

/** GraphiQL leaves the headers out of its tabs by itself, but not out of these. */
const histories = ['graphiql:queries', 'graphiql:favorites'];

/** A history without headers, and with the time (`at`) of each run: a run that is not known yet is of now. */
function kept(history) {
  const known = histories.flatMap((key) => {
    const stored = localStorage.getItem(prefix + key);
    return stored === null ? [] : Object.values(JSON.parse(stored))[0];
  });
  const isSame = (one, other) => one.query === other.query && one.variables === other.variables;
  const [[name, runs]] = Object.entries(JSON.parse(history));
  const kept = runs.map(({ headers: _, ...run }) => {
    const index = known.findIndex((other) => isSame(run, other));
    const at = index === -1 ? Date.now() : known.splice(index, 1)[0].at;
    return { ...run, at: run.at ?? at };
  });
  return JSON.stringify({ [name]: kept });
}

const own = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

/** A `Storage`. */
export const storage = {
  getItem: (key) => localStorage.getItem(prefix + key),
  setItem: (key, value) => localStorage.setItem(prefix + key, histories.includes(key) ? kept(value) : value),
  removeItem: (key) => localStorage.removeItem(prefix + key),
  clear() {
    for (const key of own()) localStorage.removeItem(key);
  },
  get length() {
    return own().length;
  },
};
