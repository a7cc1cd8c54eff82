/** The form of a new draft: what it is of. The rest is entered once it is there. */
import { h } from './elements.js';
import { createForm, sender } from './form.js';
import { act, onceEach } from './gateway.js';
import { draftFields } from './job-fields.js';
import { create } from './job-queries.js';

/**
 * @param {object[]} accounts that can have one: at least one
 * @param {{ chosenId: string | null, backHref: string, onCreated: (posting: object) => void }} view
 */
export function createDraft(accounts, { chosenId, backHref, onCreated }) {
  const form = createForm(draftFields(accounts), { accountId: chosenId ?? accounts[0].accountId });
  const problem = h('p.problem', { role: 'alert' });
  const once = onceEach();
  const onsubmit = (event) => {
    event.preventDefault();
    send(form, async () => {
      const { accountId } = form.all();
      const { accountId: _, ...posting } = form.changed();
      const { jobPosting } = await act(create, { input: once({ accountId, posting }) });
      onCreated(jobPosting);
    });
  };
  const place = h(
    'section.card',
    { 'aria-labelledby': 'job' },
    h('a.back', { href: backHref }, 'All postings'),
    h('h2', { id: 'job', tabindex: '-1' }, 'New draft'),
    h(
      'form',
      { onsubmit, novalidate: true },
      form.element,
      problem,
      h('button.primary', { type: 'submit' }, 'Create the draft'),
    ),
  );
  const send = sender(place, problem);
  return { element: h('article.detail', { 'aria-labelledby': 'job' }, place), hasUnsaved: form.isChanged };
}
