/** One job posting: its state, the form that publishes it, and the form that edits it. */
import { h, show } from './elements.js';
import { createForm, sender } from './form.js';
import { at } from './format.js';
import { act } from './gateway.js';
import { postingFields } from './job-fields.js';
import { stateBadge, titleOf } from './job-list.js';
import { edit } from './job-queries.js';
import { publication } from './publish.js';

/**
 * @param {object} given the posting
 * @param {{ canWrite: boolean, accountName: (accountId: string) => string, backHref: string, note: string }} view
 *   `note`: what is said of it at first
 */
export function createJob(given, { canWrite, accountName, backHref, note }) {
  let posting = given;
  const head = h('header.card', {});
  const publishing = h('div', {});
  const editing = h('div', {});
  const said = h('p.notice.good', { role: 'status', hidden: true });
  /** What the publishing part stands for: it is made anew when it changes from elsewhere. */
  let standsFor = null;
  let form = null;

  const tell = (text) => {
    said.textContent = text;
    said.hidden = text === '';
  };

  const keyOf = ({ state, checkpoint }) =>
    [state, checkpoint?.checkpointType, checkpoint && Date.parse(checkpoint.expiresAt)].join();

  function showHead() {
    const { state, company, accountId, jobId, updatedAt } = posting;
    show(
      head,
      h('a.back', { href: backHref }, 'All postings'),
      h('div.name', {}, h('h2', { id: 'job', tabindex: '-1' }, titleOf(posting)), stateBadge(state)),
      h('p.quiet', {}, [company?.text, accountName(accountId), `id ${jobId}`].filter(Boolean).join(' · ')),
      h('p.quiet', {}, `Changed ${at(updatedAt)}`),
    );
  }

  function showPublishing() {
    if (standsFor === keyOf(posting)) return;
    standsFor = keyOf(posting);
    if (posting.state !== 'DRAFT' || !canWrite) return show(publishing);
    const handlers = {
      onDone: tell,
      onCheckpoint(checkpoint) {
        posting = { ...posting, checkpoint };
        standsFor = keyOf(posting);
        tell('');
      },
    };
    show(publishing, publication(posting, handlers));
  }

  function showForm() {
    form = createForm(postingFields, posting);
    const problem = h('p.problem', { role: 'alert' });
    const isClosed = posting.state === 'CLOSED';
    const onsubmit = (event) => {
      event.preventDefault();
      tell('');
      send(form, async () => {
        if (!form.isChanged()) return tell('Nothing has changed.');
        const { accountId, jobId } = posting;
        const { jobPosting } = await act(edit, { input: { accountId, jobId, posting: form.changed() } });
        update(jobPosting, true);
        tell('The changes are saved.');
      });
    };
    const section = h(
      'section.card',
      { 'aria-labelledby': 'edit-title' },
      h('h3', { id: 'edit-title' }, canWrite && !isClosed ? 'Edit' : 'Contents'),
      isClosed ? h('p.quiet', {}, 'A closed posting cannot be changed.') : null,
      canWrite ? null : h('p.quiet', {}, 'Your API key may read postings, and not change them.'),
      h(
        'form',
        { onsubmit, novalidate: true },
        h('fieldset.whole', { disabled: isClosed || !canWrite }, form.element),
        problem,
        isClosed || !canWrite ? null : h('button.primary', { type: 'submit' }, 'Save the changes'),
      ),
    );
    const send = sender(section, problem);
    show(editing, section);
  }

  /** @param isOwn whether it comes from this form, and replaces what is typed */
  function update(next, isOwn = false) {
    const hasChanged = next.updatedAt !== posting.updatedAt;
    const isTyping = form?.isChanged();
    posting = next;
    showHead();
    showPublishing();
    if (isOwn || (hasChanged && !isTyping)) showForm();
    else if (hasChanged && isTyping) tell('The posting has changed elsewhere. What you save replaces that.');
  }

  showHead();
  showPublishing();
  showForm();
  tell(note);
  return { element: h('article.detail', { 'aria-labelledby': 'job' }, head, said, publishing, editing), update };
}
