/** What stands where something is being read: as large as what will be there, so that nothing moves. */
import { h } from './elements.js';

const blocks = (name, count) => Array.from({ length: count }, () => h(`div.skeleton.${name}`));
const loading = (name, ...children) =>
  h(`div.${name}`, { role: 'status' }, h('span.unseen', {}, 'Loading …'), ...children);

export const rows = () => loading('rows', ...blocks('line', 8));
export const webhook = () =>
  loading('detail', ...blocks('head', 1), h('div.tiles', {}, ...blocks('figure', 4)), ...blocks('plots', 1));

/** Before anything was read. @param {boolean} isWide whether a webhook stands beside the list */
export const page = (isWide) => [
  h('div.bar', {}, h('div.tiles', {}, ...blocks('figure', 5)), ...blocks('tool', 1)),
  h('div.columns', {}, h('div.list', {}, ...blocks('tool', 2), rows()), isWide ? webhook() : null),
];
