/** The job postings: the list, and beside it the one that is chosen. Changes arrive by subscription. */
import { createDraft } from './draft.js';
import { h, show } from './elements.js';
import { failureOf } from './failures.js';
import { follow } from './follow.js';
import { ask } from './gateway.js';
import { createJob } from './job.js';
import { jobFilters, jobList } from './job-list.js';
import * as queries from './job-queries.js';
import { mergePages } from './merge-pages.js';

/** How long one may pause in typing before it is searched for. */
const searchMs = 300;
/** A subscription takes no more. */
const mostFollowed = 100;

/**
 * @param {object[]} accounts
 * @param {{ canWrite: boolean, hrefOf: (jobId: string | null) => string, replacePlace: (hash: string) => void,
 *   onRefusedKey: (error: Error) => void }} view
 */
export function createJobs(accounts, { canWrite, hrefOf, replacePlace, onRefusedKey }) {
  const ofJobs = accounts.filter(({ type }) => type !== 'PHOTONET');
  const accountName = (accountId) => accounts.find((each) => each.accountId === accountId)?.name ?? accountId;
  const live = h('p.live', { role: 'status' });
  const listed = h('div.listed', {});
  const side = h('div.side', {});
  const element = h('div.columns.jobs', {});
  let choice = { state: null, accountId: null, query: '' };
  let list = null;
  let problem = null;
  let isLoading = false;
  let selectedId = null;
  let detail = null;
  let draft = null;
  let reading = new AbortController();
  let opening = new AbortController();
  let following = new AbortController();
  let followed = '';
  let searching;

  const postings = () => list?.edges.map(({ node }) => node).filter(Boolean) ?? null;

  function render() {
    show(
      listed,
      jobList({
        postings: postings(),
        total: list?.totalCount,
        hasMore: list?.pageInfo.hasNextPage,
        isLoading,
        problem,
        selectedId,
        accountName,
        hrefOf,
        onMore: () => read(true),
        onAgain: () => read(),
      }),
    );
  }

  async function read(isNext = false) {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    problem = null;
    isLoading = true;
    render();
    try {
      const { state, accountId, query } = choice;
      const after = isNext ? list.pageInfo.endCursor : null;
      const variables = { accountId, states: state && [state], query: query.trim() || null, after };
      const { data } = await ask(queries.list, variables, { signal });
      list = mergePages(isNext ? list : null, data.jobPostings, ({ node }) => node?.id);
    } catch (error) {
      if (signal.aborted) return;
      if (error.isOfKey) return onRefusedKey(error);
      problem = failureOf(error).text;
    }
    isLoading = false;
    render();
    keepUp();
  }

  /** A posting as it is now, wherever it is shown. */
  function take(posting) {
    const edge = list?.edges.find(({ node }) => node?.id === posting.id);
    if (edge) Object.assign(edge, { node: posting });
    if (posting.jobId === selectedId) detail?.update(posting);
    renderSoon();
  }

  let isRendering = false;
  function renderSoon() {
    if (isRendering) return;
    isRendering = true;
    requestAnimationFrame(() => {
      isRendering = false;
      render();
    });
  }

  const showLive = (isLive) => {
    live.textContent = isLive ? 'Live' : 'Reconnecting …';
    live.dataset.state = isLive ? 'live' : 'offline';
  };

  /** Follows what is shown: the chosen one, and the first of the list. */
  async function keepUp() {
    const jobIds = [...new Set([selectedId, ...(postings() ?? []).map(({ jobId }) => jobId)])]
      .filter(Boolean)
      .slice(0, mostFollowed);
    if (jobIds.length === 0 || jobIds.join() === followed) return;
    following.abort();
    following = new AbortController();
    followed = jobIds.join();
    const { signal } = following;
    try {
      for await (const posting of follow(queries.changes, { jobIds }, { signal, onLive: showLive })) take(posting);
    } catch (error) {
      if (signal.aborted) return;
      if (error.isOfKey) return onRefusedKey(error);
      live.textContent = `Not live: ${failureOf(error).text}`;
      live.dataset.state = 'offline';
    }
  }

  const telling = (...contents) => h('p.card.empty', { role: 'status' }, ...contents);

  /** @param {'list' | 'detail'} view what narrow screens show */
  function choose(jobId, view) {
    opening.abort();
    opening = new AbortController();
    selectedId = jobId;
    detail = null;
    draft = null;
    element.dataset.view = view;
    render();
    return opening;
  }

  function showInSide(shown) {
    show(side, shown);
    side.querySelector('#job').focus({ preventScroll: true });
  }

  const whyNoDraft = canWrite
    ? ofJobs.length === 0 && 'A draft needs an account of pnet, and your key sees none.'
    : 'To create drafts, use a key with the scope jobs:write.';

  const goToDraft = () => {
    location.hash = 'jobs?new';
  };

  function openDraft() {
    choose(null, 'detail');
    if (whyNoDraft) return show(side, telling(whyNoDraft, ' ', h('a', { href: hrefOf(null) }, 'All postings')));
    const onCreated = (posting) => {
      read();
      // Who has left the form meanwhile stays there.
      if (draft !== made) return;
      openJob(posting.jobId, posting);
      // The way back leads to the list, and not to the form.
      replacePlace(hrefOf(posting.jobId));
    };
    const made = createDraft(ofJobs, { chosenId: choice.accountId, backHref: hrefOf(null), onCreated });
    draft = made;
    showInSide(made.element);
  }

  /** @param {object | null} created the posting, if it has just been created */
  async function openJob(jobId, created = null) {
    const { signal } = choose(jobId, jobId === null ? 'list' : 'detail');
    if (jobId === null) return show(side, telling('Choose a posting.'));
    const known = created ?? postings()?.find((each) => each.jobId === jobId);
    try {
      if (known === undefined) show(side, telling('Loading …'));
      const posting = known ?? (await ask(queries.one, { jobId }, { signal })).data.jobPosting;
      if (posting === null)
        return show(side, telling('Your key sees no such posting. ', h('a', { href: hrefOf(null) }, 'All postings')));
      const note = created === null ? '' : 'The draft is created. Add what it lacks, and publish it.';
      detail = createJob(posting, { canWrite, accountName, backHref: hrefOf(null), note, onChanged: take });
      showInSide(detail.element);
      keepUp();
    } catch (error) {
      if (signal.aborted) return;
      if (error.isOfKey) return onRefusedKey(error);
      const again = h('button', { type: 'button', onclick: () => openJob(jobId) }, 'Try again');
      show(side, telling(failureOf(error).text, ' ', again));
    }
  }

  const narrow = (change) => {
    choice = { ...choice, ...change };
    read();
  };
  const onSearch = (query) => {
    clearTimeout(searching);
    searching = setTimeout(() => narrow({ query }), searchMs);
  };
  element.append(
    h(
      'div.list',
      {},
      whyNoDraft
        ? h('p.quiet', {}, whyNoDraft)
        : h('button.primary', { type: 'button', onclick: goToDraft }, 'New draft'),
      jobFilters({ accounts: ofJobs, choice, onChoice: narrow, onSearch }),
      live,
      listed,
    ),
    side,
  );

  return {
    element,
    /** @param {string | null} jobId @param {boolean} isNew for the form of a new draft */
    open(jobId, isNew) {
      if (list === null) read();
      if (isNew) openDraft();
      else if (jobId !== selectedId || detail === null) openJob(jobId);
    },
    /** Whether something is typed that would be lost. */
    hasUnsaved: () => (detail ?? draft)?.hasUnsaved() ?? false,
    /** Forgets what is typed. */
    discard() {
      if (this.hasUnsaved()) choose(null, element.dataset.view);
    },
    close() {
      for (const each of [reading, opening, following]) each.abort();
      clearTimeout(searching);
    },
  };
}
