/** What tells two runs of one operation apart in GraphiQL's history: when it was, and the first argument. */
import { storage } from './storage.js';

const lists = ['graphiql:favorites', 'graphiql:queries'];
const today = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const earlier = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Labels the items of the list that is shown: favorites first, the newest first in each. @param {Element} root */
export function labelHistory(root) {
  const labels = root.querySelectorAll('.graphiql-history-item .graphiql-history-item-label');
  const stored = labels.length === 0 ? [] : lists.flatMap((list) => itemsOf(list).reverse());
  labels.forEach((label, index) => {
    const about = stored[index] === undefined ? '' : aboutRun(stored[index]);
    if (label.dataset.about !== about) label.dataset.about = about;
  });
}

function itemsOf(list) {
  try {
    return Object.values(JSON.parse(storage.getItem(list)))[0];
  } catch {
    return [];
  }
}

function aboutRun({ at, query, variables }) {
  const time = new Date(at);
  const format = time.toDateString() === new Date().toDateString() ? today : earlier;
  return [at && format.format(time), firstArgument(query, variables)].filter(Boolean).join(' · ');
}

/** The first value of the variables, else the first that is written in the operation; undefined if there is none. */
function firstArgument(query, variables) {
  const [, written] = /\(\s*\w+:\s*([^$\s,){][^,)\n]*)/.exec(query ?? '') ?? [];
  try {
    return firstLeaf(JSON.parse(variables)) ?? written;
  } catch {
    return written;
  }
}

const firstLeaf = (value) =>
  typeof value === 'object' && value !== null
    ? Object.values(value)
        .map(firstLeaf)
        .find((leaf) => leaf !== undefined)
    : (value ?? undefined)?.toString();
