/** One job posting: its state, the form that publishes it, and the form that edits it. */
import { h, show } from './elements.js';
import { createForm, sender } from './form.js';
import { at } from './format.js';
import { act } from './gateway.js';
import { postingFields } from './job-fields.js';
import { stateBadge, titleOf } from './job-list.js';
import { edit } from './job-queries.js';
import { publication } from './publish.js';

/** What the form shows of a posting. */
const contentsOf = ({ updatedAt: _, checkpoint: _checkpoint, state, ...contents }) =>
  JSON.stringify([state === 'CLOSED', contents]);

/**
 * @param {object} given the posting
 * @param {{ canWrite: boolean, accountName: (accountId: string) => string, backHref: string, note: string,
 *   onChanged: (posting: object) => void }} view
 *   `note`: what is said of it at first; `onChanged` gets the posting after a change that is made here
 */
export function createJob(given, { canWrite, accountName, backHref, note, onChanged }) {
  let posting = given;
  const head = h('header.card', {});
  const publishing = h('div', {});
  const editing = h('div', {});
  const said = h('p.notice.good', { role: 'status', hidden: true });
  /** Beside the button that saves: it stays in view. */
  const saidOfForm = h('p.notice', { role: 'status', hidden: true });
  /** What the publishing part stands for: it is made anew when it changes from elsewhere. */
  let standsFor = null;
  let publisher = null;
  let form = null;
  let save = null;
  let isSaving = false;
  /** When the postings changed that this form has replaced: the stream may be behind. */
  const replaced = new Set();
  /** A change that arrived while the form was sent: most likely that of the form. */
  let arrived = null;

  const tellIn = (place, text, tone = 'good') => {
    place.className = `notice ${tone}`;
    place.textContent = text;
    place.hidden = text === '';
  };
  const tell = (text) => tellIn(said, text);
  const tellOfForm = (text, tone) => tellIn(saidOfForm, text, tone);

  /** What is typed from now on is not saved. */
  const forgetSaid = () => saidOfForm.classList.contains('good') && tellOfForm('');

  const keyOf = ({ state, checkpoint }) =>
    [state, checkpoint?.checkpointType, checkpoint && Date.parse(checkpoint.expiresAt)].join();

  function showHead() {
    const { state, company, accountId, jobId, updatedAt } = posting;
    show(
      head,
      h('a.back', { href: backHref, 'data-key': 'back' }, 'All postings'),
      h(
        'div.name',
        {},
        h('h2', { id: 'job', tabindex: '-1', 'data-key': 'title' }, titleOf(posting)),
        stateBadge(state),
      ),
      h('p.quiet', {}, [company?.text, accountName(accountId), `id ${jobId}`].filter(Boolean).join(' · ')),
      h('p.quiet', {}, `Changed ${at(updatedAt)}`),
    );
  }

  function showPublishing() {
    if (standsFor === keyOf(posting)) return;
    standsFor = keyOf(posting);
    publisher = null;
    if (posting.state !== 'DRAFT' || !canWrite) return show(publishing);
    publisher = publication(posting, {
      hasUnsaved: () => form.isChanged(),
      save: () => save(),
      onDone(text, published) {
        if (published) onChanged(published);
        tellOfForm('');
        tell(text);
        // What was pressed is gone.
        head.querySelector('#job').focus();
      },
      onCheckpoint(checkpoint) {
        posting = { ...posting, checkpoint };
        standsFor = keyOf(posting);
        tell('');
      },
    });
    show(publishing, publisher.element);
  }

  function showForm() {
    form = createForm(postingFields, posting);
    const problem = h('p.problem', { role: 'alert' });
    const isClosed = posting.state === 'CLOSED';
    const onsubmit = (event) => {
      event.preventDefault();
      save();
    };
    const section = h(
      'section.card',
      { 'aria-labelledby': 'edit-title' },
      h('h3', { id: 'edit-title' }, canWrite && !isClosed ? 'Edit' : 'Contents'),
      isClosed ? h('p.quiet', {}, 'A closed posting cannot be changed.') : null,
      canWrite ? null : h('p.quiet', {}, 'Your API key may read postings, and not change them.'),
      h(
        'form',
        { onsubmit, oninput: forgetSaid, novalidate: true },
        h('fieldset.whole', { disabled: isClosed || !canWrite }, form.element),
        isClosed || !canWrite
          ? null
          : h(
              'div.saving',
              {},
              problem,
              saidOfForm,
              h('button.primary', { type: 'submit', 'data-key': 'save' }, 'Save the changes'),
            ),
      ),
    );
    const send = sender(section, problem);
    /** @returns {Promise<boolean>} whether it is saved */
    save = async () => {
      if (isSaving) return false;
      let isSaved = false;
      tell('');
      tellOfForm('');
      isSaving = true;
      const work = async () => {
        if (!form.isChanged()) return tellOfForm('Nothing has changed.');
        const { accountId, jobId } = posting;
        const { jobPosting } = await act(edit, { input: { accountId, jobId, posting: form.changed() } });
        isSaved = true;
        take(jobPosting ?? posting, true);
        publisher?.forgetWarning();
        tellOfForm('The changes are saved.');
      };
      await send(form, work, form.issues({ ofChanged: true }));
      isSaving = false;
      if (isSaved) onChanged(posting);
      if (arrived !== null) update(arrived);
      arrived = null;
      return isSaved;
    };
    show(editing, section);
  }

  /** @param {boolean} isOwn whether it comes from this form, and replaces what is typed */
  function take(next, isOwn) {
    const hasChanged = contentsOf(next) !== contentsOf(posting);
    const isTyping = form.isChanged();
    if (isOwn) replaced.add(posting.updatedAt);
    posting = next;
    showHead();
    showPublishing();
    if (isOwn || (hasChanged && !isTyping)) showForm();
    else if (hasChanged) tellOfForm('The posting has changed elsewhere. What you save replaces that.', 'warn');
  }

  /** Takes the posting as it is now: after a change that this page has made, it is what the page has. */
  function update(next) {
    if (isSaving) arrived = next;
    else if (next.updatedAt === posting.updatedAt || !replaced.has(next.updatedAt)) take(next, false);
  }

  showHead();
  showPublishing();
  showForm();
  tell(note);
  return {
    element: h('article.detail', { 'aria-labelledby': 'job' }, head, said, publishing, editing),
    update,
    hasUnsaved: () => canWrite && form.isChanged(),
  };
}
