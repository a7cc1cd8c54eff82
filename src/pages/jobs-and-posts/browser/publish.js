/** Publishes a draft: how, for how much, and the code that the network may ask for. */
import { h, show } from './elements.js';
import { createForm, sender } from './form.js';
import { time } from './format.js';
import { act } from './gateway.js';
import { publicationFields, solutionFields } from './job-fields.js';
import { publish, solve } from './job-queries.js';

/** How each draft was published in this tab: a new code is asked for in the same way. */
const publications = new Map();

/** What is said of a published draft, by its state. */
const outcomes = {
  ACTIVE: 'It is published.',
  CLOSED: 'It is published, and closed already.',
  DRAFT: 'The network keeps it as a draft.',
  PAUSED: 'It is published, and paused.',
  REVIEW: 'It was sent to the network, which reviews it.',
};

/**
 * @param {{ accountId: string, jobId: string, checkpoint: object | null }} posting
 * @param {{ hasUnsaved: () => boolean, save: () => Promise<boolean>, hold: (work: () => Promise<void>) => Promise<void>,
 *   onDone: (text: string, posting?: object) => void,
 *   onCheckpoint: (checkpoint: object | null, posting?: object) => void }} handlers
 *   `hasUnsaved`: whether the draft has changes that would not be published; `save` saves them; `hold` does work during which
 *   the posting stays as it is shown; `posting` is the one afterwards
 */
export function publication({ accountId, jobId, checkpoint }, { hasUnsaved, save, hold, onDone, onCheckpoint }) {
  const problem = h('p.problem', { role: 'alert' });
  const warning = h('div.warning', { role: 'status' });
  const place = h('section.card.publish', { 'aria-labelledby': 'publish-title' });
  const sendIn = sender(place, problem);

  async function saveFirst() {
    if (!(await save())) return;
    show(warning, h('p.notice.good', {}, 'The changes are saved. You can go on.'));
    place.querySelector('.primary').focus();
  }

  function warn() {
    const saving = h('button.link', { type: 'button', onclick: saveFirst }, 'Save them first');
    show(warning, h('p.notice.warn', {}, 'Not published: your changes below are not saved.', saving));
  }

  /** Carries out what a button says. What is not saved would be left out. */
  const carryOut = (form, work, issues = form.issues()) => {
    if (hasUnsaved()) return warn();
    show(warning);
    const publishing = async () => {
      try {
        await work();
      } catch (error) {
        if (error.checkpoint === null) return askAgain(error);
        if (error.checkpoint) onCheckpoint(error.checkpoint, error.checkpoint.jobPosting);
        throw error;
      }
    };
    return hold(() => sendIn(form, publishing, issues));
  };

  function settle({ state, jobPosting, checkpointType, attemptsLeft, expiresAt }, note = '') {
    if (checkpointType === undefined) {
      publications.delete(jobId);
      return onDone(outcomes[state] ?? 'It is published.', jobPosting);
    }
    const next = { checkpointType, attemptsLeft, expiresAt };
    onCheckpoint(next, jobPosting);
    askFor(next, note);
    place.querySelector('input').focus({ preventScroll: true });
  }

  async function send(options, note) {
    const result = await act(publish, { input: { accountId, jobId, ...options } });
    publications.set(jobId, options);
    settle(result, note);
  }

  /** How to publish. */
  function askHow(note = null) {
    const form = createForm(publicationFields, publications.get(jobId) ?? {});
    const onsubmit = (event) => {
      event.preventDefault();
      carryOut(form, () => send(form.all()));
    };
    show(
      place,
      h('h3', { id: 'publish-title' }, 'Publish'),
      note === null ? null : h('p.notice.warn', { role: 'status' }, note),
      h(
        'form',
        { onsubmit, novalidate: true },
        form.element,
        problem,
        warning,
        h('button.primary', { type: 'submit' }, 'Publish'),
      ),
    );
  }

  /** The input that the network asks for. */
  function askFor({ checkpointType, attemptsLeft, expiresAt }, note = '') {
    const form = createForm(solutionFields(checkpointType), {});
    const left = h('p.quiet', { role: 'status' }, `${note}${remaining(attemptsLeft, expiresAt)}`);
    const onsubmit = (event) => {
      event.preventDefault();
      carryOut(form, async () => {
        try {
          settle(await act(solve, { input: { accountId, jobId, ...form.all() } }));
        } catch (error) {
          if (error.checkpoint) left.textContent = remaining(error.checkpoint.attemptsLeft, error.checkpoint.expiresAt);
          throw error;
        }
      });
    };
    const known = publications.get(jobId);
    const again = () =>
      known === undefined ? askHow() : carryOut(form, () => send(known, 'A new one is on its way: '), []);
    show(
      place,
      h('h3', { id: 'publish-title' }, 'The network asks for a confirmation'),
      left,
      h(
        'form',
        { onsubmit, novalidate: true },
        form.element,
        problem,
        warning,
        h(
          'div.actions',
          {},
          h('button.primary', { type: 'submit' }, 'Confirm'),
          h(
            'button',
            { type: 'button', onclick: again, 'data-key': 'again' },
            known ? 'Send a new one' : 'Publish again',
          ),
          h('button.link', { type: 'button', onclick: () => askHow() }, 'Publish in another way'),
        ),
      ),
    );
  }

  /** The checkpoint is closed: too many attempts, or too late. */
  function askAgain(error) {
    onCheckpoint(null);
    askHow(
      error.code === 'EXPIRED_LINK'
        ? 'The code has expired. Publish again to get a new one.'
        : 'The code cannot be entered any more. Publish again to get a new one.',
    );
    place.querySelector('select').focus();
  }

  if (checkpoint === null) askHow();
  else askFor(checkpoint);
  return { element: place, forgetWarning: () => show(warning) };
}

function remaining(attemptsLeft, expiresAt) {
  const attempts = attemptsLeft === null ? '' : `${attemptsLeft} ${attemptsLeft === 1 ? 'attempt' : 'attempts'} left`;
  const until = expiresAt === null ? '' : `valid until ${time(expiresAt)}`;
  return [attempts, until].filter(Boolean).join(', ');
}
