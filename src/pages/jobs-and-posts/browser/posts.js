/** The posts of a person or company, as an account sees them: page after page. */
import { accountField } from './accounts.js';
import { h, show } from './elements.js';
import { failureOf } from './failures.js';
import { createForm } from './form.js';
import { ask } from './gateway.js';
import { mergePages } from './merge-pages.js';
import { posts } from './page-queries.js';
import { post } from './post.js';

/**
 * @param {{ accountId: string, name: string | null, type: string | null, status: string }[]} accounts
 * @param {Record<string, [identifier: string, text: string][]>} sandbox whose posts to try, by type of account
 * @param {{ onChoice: (choice: object) => void, onRefusedKey: (error: Error) => void }} handlers
 */
export function createPosts(accounts, sandbox, { onChoice, onRefusedKey }) {
  const typeOf = (accountId) => accounts.find((each) => each.accountId === accountId)?.type;
  const feed = h('div.feed', { 'aria-live': 'polite', 'aria-busy': 'false' });
  const more = h('div.more', {});
  const chooser = h('div', {});
  let form = null;
  let reading = new AbortController();
  let choice = null;
  let list = null;
  let skipped = [];

  const fieldsFor = (accountId) => [
    {
      fields: [
        accountField(accounts),
        {
          path: 'identifier',
          label: 'Whose posts',
          help: 'The id of a person or company; on photonet a user name will do.',
          attributes: { spellcheck: 'false', autocapitalize: 'none' },
        },
        { path: 'isCompany', label: 'It is a company', type: 'box', when: () => typeOf(accountId()) === 'PNET' },
      ],
    },
  ];

  function suggestions(accountId) {
    const known = sandbox[typeOf(accountId)] ?? [];
    if (known.length === 0) return null;
    const onchange = ({ target }) =>
      onChoice({
        accountId,
        identifier: target.value,
        isCompany: /^\d+$/.test(target.value) && typeOf(accountId) === 'PNET',
      });
    return h(
      'div.field',
      {},
      h('label', { for: 'suggestions' }, 'Or from the sandbox'),
      h(
        'select',
        { id: 'suggestions', onchange, 'data-key': 'suggestions' },
        h(
          'option',
          { value: '', selected: !known.some(([each]) => each === choice.identifier), disabled: true },
          'Choose one',
        ),
        ...known.map(([identifier, text]) =>
          h('option', { value: identifier, selected: identifier === choice.identifier }, `${identifier}: ${text}`),
        ),
      ),
    );
  }

  function choose() {
    let select = null;
    form = createForm(
      fieldsFor(() => select?.value ?? choice.accountId),
      choice,
    );
    select = form.element.querySelector('select');
    // Another network has other people.
    select.addEventListener('change', () => {
      const [first = ''] = sandbox[typeOf(select.value)]?.[0] ?? [];
      const isSameNetwork = typeOf(select.value) === typeOf(choice.accountId);
      onChoice({ ...(isSameNetwork ? choice : { identifier: first, isCompany: false }), accountId: select.value });
    });
    const onsubmit = (event) => {
      event.preventDefault();
      const { accountId, identifier = '', isCompany = false } = form.all();
      if (JSON.stringify([accountId, identifier, isCompany]) === JSON.stringify(Object.values(choice))) read();
      else onChoice({ accountId, identifier, isCompany });
    };
    show(
      chooser,
      h(
        'form.card.find',
        { onsubmit, novalidate: true },
        form.element,
        h('button.primary', { type: 'submit' }, 'Show the posts'),
        suggestions(choice.accountId),
      ),
    );
  }

  const telling = (...contents) => h('p.empty.card', { role: 'status' }, ...contents);

  function fail(error) {
    if (error.isOfKey) return onRefusedKey(error);
    const { at, text } = failureOf(error);
    const isAtField = at !== null && form.showFailure(at, text);
    const again = h('button', { type: 'button', onclick: () => read(list !== null) }, 'Try again');
    if (list === null) show(feed, isAtField ? telling('No posts.') : telling(text, ' ', again));
    show(more, list === null ? null : h('p.problem', { role: 'alert' }, text, ' ', again));
  }

  /** @param isNext whether the next page is read */
  async function read(isNext = false) {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    form.showIssues([]);
    if (!isNext) {
      list = null;
      skipped = [];
      show(feed, telling('Loading …'));
    }
    show(more, isNext ? h('p.quiet', {}, 'Loading …') : null);
    feed.setAttribute('aria-busy', 'true');
    try {
      const after = list?.pageInfo.endCursor ?? null;
      const variables = { ...choice, isCompany: choice.isCompany || null, after };
      const { data, skipped: odd } = await ask(posts, variables, { signal });
      const before = list?.edges.length ?? 0;
      list = mergePages(list, data.posts, ({ node }) => node?.id);
      skipped.push(...odd);
      const added = list.edges.slice(before).map(({ node }) => post(node));
      if (isNext) feed.append(...added);
      else show(feed, list.edges.length === 0 ? telling('There are no posts.') : added);
      // Whoever asked for more goes on where it begins.
      if (isNext) feed.children[before]?.setAttribute('tabindex', '-1');
      if (isNext) feed.children[before]?.focus({ preventScroll: true });
      show(
        more,
        odds(),
        list.pageInfo.hasNextPage ? h('button', { type: 'button', onclick: () => read(true) }, 'More posts') : null,
      );
    } catch (error) {
      if (!signal.aborted) fail(error);
    } finally {
      if (!signal.aborted) feed.setAttribute('aria-busy', 'false');
    }
  }

  const odds = () =>
    skipped.length === 0
      ? null
      : h(
          'p.quiet',
          { role: 'status' },
          `${skipped.length === 1 ? 'One post' : `${skipped.length} posts`} could not be shown: ${skipped[0].message}`,
        );

  return {
    element: h('div.columns', {}, chooser, h('div', {}, feed, more)),
    /** Shows the posts of somebody. @param {{ accountId: string, identifier: string, isCompany: boolean }} wanted */
    open(wanted) {
      if (JSON.stringify(wanted) === JSON.stringify(choice)) return;
      choice = wanted;
      choose();
      if (choice.identifier === '') show(feed, telling('Enter whose posts you want to see.'));
      else read();
    },
    close: () => reading.abort(),
  };
}
