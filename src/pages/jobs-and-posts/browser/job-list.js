/** The list of job postings, with what it can be narrowed by. */
import { h } from './elements.js';
import { at } from './format.js';

const stateNames = {
  DRAFT: ['Draft', 'open'],
  ACTIVE: ['Active', 'good'],
  REVIEW: ['In review', 'warn'],
  PAUSED: ['Paused', 'warn'],
  CLOSED: ['Closed', 'quiet'],
};

export function stateBadge(state) {
  const [name, tone] = stateNames[state] ?? ['Unknown', 'quiet'];
  return h(`span.badge.${tone}`, {}, name);
}

export const titleOf = ({ jobTitle, jobId }) => jobTitle?.text || `Posting ${jobId}`;

const row = ({ jobId, state, company, checkpoint, updatedAt, ...posting }, { selectedId, accountName, hrefOf }) =>
  h(
    'li',
    {},
    h(
      'a.job',
      { href: hrefOf(jobId), 'aria-current': jobId === selectedId ? 'true' : null, 'data-key': `job-${jobId}` },
      h('span.name', {}, h('strong', {}, titleOf({ jobId, ...posting })), stateBadge(state)),
      h('small', {}, [jobId, company?.text, accountName(posting.accountId)].filter(Boolean).join(' · ')),
      h('small', {}, checkpoint === null ? `Changed ${at(updatedAt)}` : 'Waits for a confirmation'),
    ),
  );

/** @param {object} view what is listed, and the handlers of its buttons */
export function jobList(view) {
  const { postings, total, hasMore, isLoading, problem, onMore, onAgain } = view;
  if (problem !== null)
    return [
      h('p.problem', { role: 'alert' }, problem, ' ', h('button', { type: 'button', onclick: onAgain }, 'Try again')),
    ];
  if (postings === null) return [h('p.empty', { role: 'status' }, 'Loading …')];
  return [
    h(
      'p.quiet',
      { role: 'status' },
      postings.length === 0 ? 'There are no such postings.' : `${postings.length} of ${total}`,
    ),
    h('ul', {}, ...postings.map((posting) => row(posting, view))),
    hasMore &&
      h('button', { type: 'button', onclick: onMore, 'data-key': 'more' }, isLoading ? 'Loading …' : 'More postings'),
  ];
}

/** @param {{ accounts: object[], choice: object, onChoice: (change: object) => void, onSearch: (text: string) => void }} view */
export function jobFilters({ accounts, choice, onChoice, onSearch }) {
  const select = (id, label, options, chosen, onchange) =>
    h(
      'div.field',
      {},
      h('label', { for: id }, label),
      h(
        'select',
        { id, onchange: ({ target }) => onchange(target.value || null) },
        h('option', { value: '' }, 'All'),
        ...Object.entries(options).map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
      ),
    );
  const states = Object.fromEntries(Object.entries(stateNames).map(([state, [name]]) => [state, name]));
  const names = Object.fromEntries(accounts.map(({ accountId, name }) => [accountId, name || accountId]));
  return h(
    'form.card.filters',
    { onsubmit: (event) => event.preventDefault() },
    h(
      'div.field',
      {},
      h('label', { for: 'job-search' }, 'Title'),
      h('input', {
        id: 'job-search',
        type: 'search',
        autocomplete: 'off',
        maxlength: 255,
        oninput: ({ target }) => onSearch(target.value),
      }),
    ),
    select('job-state', 'State', states, choice.state, (state) => onChoice({ state })),
    accounts.length < 2
      ? null
      : select('job-account', 'Account', names, choice.accountId, (accountId) => onChoice({ accountId })),
  );
}
