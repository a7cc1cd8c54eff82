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

/** Tells one state of a posting from another. */
const versionOf = ({ state, updatedAt, checkpoint }) =>
  [state, updatedAt, checkpoint?.checkpointType, checkpoint?.attemptsLeft, checkpoint?.expiresAt].join();

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
  /** The versions before changes that were made here: the stream may be behind. */
  const replaced = new Set();
  let sending = 0;
  /** A change that arrived while something was sent: most likely that change. */
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
      hold,
      onDone(text, published) {
        if (published) {
          takeOwn(published);
          onChanged(published);
        }
        tellOfForm('');
        tell(text);
        // What was pressed is gone.
        head.querySelector('#job').focus();
      },
      onCheckpoint(checkpoint, next) {
        const asked = { ...(next ?? posting), checkpoint };
        standsFor = keyOf(asked);
        takeOwn(asked);
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
      let isSaved = false;
      tell('');
      tellOfForm('');
      const work = async () => {
        if (!form.isChanged()) return tellOfForm('Nothing has changed.');
        const { accountId, jobId } = posting;
        const { jobPosting } = await act(edit, { input: { accountId, jobId, posting: form.changed() } });
        isSaved = true;
        takeOwn(jobPosting ?? posting, true);
        publisher?.forgetWarning();
        tellOfForm('The changes are saved.');
        onChanged(posting);
      };
      await hold(() => send(form, work, form.issues({ ofChanged: true })));
      return isSaved;
    };
    show(editing, section);
  }

  /** @param {boolean} isOfForm whether the form has sent it: it replaces what is typed */
  function takeOwn(next, isOfForm = false) {
    replaced.add(versionOf(posting));
    replaced.delete(versionOf(next));
    take(next, isOfForm);
  }

  function take(next, isOfForm = false) {
    const hasChanged = contentsOf(next) !== contentsOf(posting);
    posting = next;
    showHead();
    showPublishing();
    if (isOfForm || (hasChanged && !form.isChanged())) showForm();
    else if (hasChanged) tellOfForm('The posting has changed elsewhere. What you save replaces that.', 'warn');
  }

  /** Takes the posting as it is now. */
  function update(next) {
    if (sending > 0) arrived = next === posting ? arrived : next;
    else if (!replaced.has(versionOf(next))) take(next);
  }

  /** Sends something, and takes what has arrived meanwhile. */
  async function hold(work) {
    sending += 1;
    try {
      await work();
    } finally {
      sending -= 1;
    }
    if (sending > 0 || arrived === null) return;
    const next = arrived;
    arrived = null;
    update(next);
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
