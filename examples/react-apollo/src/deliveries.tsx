import { memo, useState } from 'react';
import { type Choice, everything, isOf, states } from './choice.ts';
import { Failure } from './failure.tsx';
import { useIsLive } from './gateway.ts';
import { type Delivery, useDeliveries } from './live-deliveries.ts';
import { useWebhooks, type Webhook } from './webhooks.ts';

const none: readonly Webhook[] = [];

export function Deliveries() {
  const isLive = useIsLive();
  const [choice, choose] = useState(everything);
  const { webhooks, failure: webhooksFailure, readAgain: readWebhooks } = useWebhooks();
  const { deliveries, hasMore, readMore, isLoading, failure, streamFailure, readAgain, emit, isEmitting } =
    useDeliveries(choice);
  const [emitted, setEmitted] = useState('');
  const chosen = deliveries?.filter((delivery) => isOf(choice, delivery)) ?? [];
  const rows = chosen.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt));
  return (
    <>
      <p role="status">{isLive ? 'Live: changes appear by themselves.' : 'Not live: connecting …'}</p>
      <Failure what="The webhooks" reason={webhooksFailure} onRetry={readWebhooks} />
      {streamFailure !== null && <p role="alert">Changes cannot be followed: {streamFailure}</p>}
      {webhooks?.length !== 0 ? (
        <p>
          <button
            type="button"
            disabled={isEmitting}
            onClick={() => void emit('pnet-----------------A').then(setEmitted)}
          >
            Emit an event
          </button>{' '}
          <span role="status">{emitted}</span>
        </p>
      ) : (
        <p>There is no webhook. Create one on the webhooks page of the gateway.</p>
      )}
      <Chooser choice={choice} onChoose={choose} webhooks={webhooks ?? none} />
      {rows.length > 0 && <Rows rows={rows} />}
      {rows.length === 0 && isLoading && <p>Reading the deliveries …</p>}
      {rows.length === 0 && !isLoading && failure === null && <p>There are no deliveries.</p>}
      <Failure what="The deliveries" reason={failure} onRetry={readAgain} />
      {hasMore && (
        <button type="button" disabled={isLoading} onClick={readMore}>
          {isLoading ? 'Reading …' : 'Show more'}
        </button>
      )}
    </>
  );
}

interface ChooserProps {
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
  readonly webhooks: readonly Webhook[];
}

/** Not drawn again with each change: it can have hundreds of webhooks. */
const Chooser = memo(function Chooser({ choice, onChoose, webhooks }: ChooserProps) {
  const chooseState = (value: string) =>
    onChoose({ ...choice, state: states.find((state) => state === value) ?? null });
  return (
    <div className="row">
      <label>
        State
        <select value={choice.state ?? ''} onChange={({ target }) => chooseState(target.value)}>
          <option value="">All</option>
          {states.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      </label>
      <label>
        Webhook
        <select
          value={choice.webhookId ?? ''}
          onChange={({ target }) => onChoose({ ...choice, webhookId: target.value || null })}
        >
          <option value="">All</option>
          {webhooks.map(({ id, webhookId, name }) => (
            <option key={id} value={webhookId}>
              {name ?? webhookId}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
});

const time = (text: string) => new Date(text).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'medium' });

function Rows({ rows }: { rows: readonly Delivery[] }) {
  return (
    <ul className="plain">
      {rows.map(({ id, deliveryId, event, state, attemptCount, lastAttempt, createdAt }) => (
        <li key={id} data-delivery={deliveryId}>
          <strong>{state}</strong> {event ?? 'trigger'}
          <p className="meta">
            <time dateTime={createdAt}>{time(createdAt)}</time>{' '}
            {attemptCount === 1 ? '1 attempt' : `${attemptCount} attempts`}
            {lastAttempt && `, the last: ${lastAttempt.status ?? lastAttempt.failure}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
