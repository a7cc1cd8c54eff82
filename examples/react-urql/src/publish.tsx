import { type FormEvent, useEffect, useRef, useState } from 'react';
import { issueText } from './issue-texts.ts';
import { type Result, usePublishing } from './publishing.ts';

/** What the page can ask for: a draft, or the input of a checkpoint. */
const labels = {
  DRAFT: 'Draft id',
  OTP: 'Code that you got in a message',
  EMAIL_VERIFICATION: 'Token of the link that you got by e-mail',
  UNRECOGNIZED: 'Input that the network asks for',
} as const;

interface Form {
  readonly asks: keyof typeof labels;
  readonly draftId: string;
  /** What is wrong with the field that the page asks for. */
  readonly wrong: string | null;
  /** What is wrong, or was achieved, beyond a field. */
  readonly note: string | null;
}

/** The form after a result of one of the two mutations. */
function after(form: Form, result: Result): Form {
  const clean = { ...form, wrong: null, note: null };
  switch (result.__typename) {
    case 'PnetJobPostingPublished':
      return { ...clean, asks: 'DRAFT', note: `Job ${result.jobId} is published. Its state is ${result.state}.` };
    case 'PnetJobPostingPublishCheckpoint':
      return { ...clean, asks: result.checkpointType ?? 'UNRECOGNIZED' };
    case 'CheckpointError': {
      if (result.checkpoint === null)
        return { ...clean, asks: 'DRAFT', note: `${result.message} Publish the draft again.` };
      const texts = result.issues.map(issueText);
      return {
        ...clean,
        wrong: `${texts.join(' ') || result.message} Attempts left: ${result.checkpoint.attemptsLeft}.`,
      };
    }
    case 'InvalidRequestError': {
      const issue = result.issues.find(({ path }) => path.join('.') === 'input.jobId');
      return issue ? { ...clean, wrong: issueText(issue) } : { ...clean, note: result.message };
    }
    case 'RequestError':
      if (result.code === 'RESOURCE_NOT_FOUND' || result.code === 'INVALID_RESOURCE_IDENTIFIER')
        return { ...clean, asks: 'DRAFT', wrong: result.message };
      return { ...clean, note: result.message };
  }
}

export function Publish() {
  const [form, setForm] = useState<Form>({ asks: 'DRAFT', draftId: '1012', wrong: null, note: null });
  const { publish, solve, isBusy } = usePublishing();
  const field = useRef<HTMLInputElement>(null);

  // Where something has to be entered, or corrected, the user can do so at once.
  useEffect(() => {
    if (form.asks !== 'DRAFT' || form.wrong !== null) field.current?.focus();
  }, [form]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const value = String(new FormData(event.currentTarget).get('value'));
    const draftId = form.asks === 'DRAFT' ? value : form.draftId;
    try {
      const result = await (form.asks === 'DRAFT' ? publish(draftId) : solve(draftId, value));
      setForm(after({ ...form, draftId }, result));
    } catch (error) {
      // The draft may have been published: the gateway says so if it is sent again.
      setForm({
        ...form,
        draftId,
        wrong: null,
        note: `There is no result: ${error instanceof Error ? error.message : error} Send it again: nothing is published twice.`,
      });
    }
  }

  return (
    <form className="column" onSubmit={(event) => void send(event)} noValidate>
      <label htmlFor="value">{labels[form.asks]}</label>
      <input
        key={form.asks}
        ref={field}
        id="value"
        name="value"
        defaultValue={form.asks === 'DRAFT' ? form.draftId : ''}
        autoComplete={form.asks === 'OTP' ? 'one-time-code' : 'off'}
        inputMode={form.asks === 'EMAIL_VERIFICATION' ? 'text' : 'numeric'}
        aria-invalid={form.wrong !== null}
        aria-describedby="wrong"
      />
      <p id="wrong" className="wrong" role="alert">
        {form.wrong}
      </p>
      <div className="row">
        <button type="submit" disabled={isBusy}>
          {form.asks === 'DRAFT' ? 'Publish' : 'Continue'}
        </button>
        {form.asks !== 'DRAFT' && (
          <button type="button" onClick={() => setForm({ ...form, asks: 'DRAFT', wrong: null, note: null })}>
            Back to the draft
          </button>
        )}
      </div>
      <p role="status">{form.note}</p>
    </form>
  );
}
