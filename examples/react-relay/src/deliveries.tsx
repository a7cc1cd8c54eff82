import { useState } from 'react';
import { Failure } from './failure.tsx';
import { useIsLive } from './gateway.ts';
import { type Delivery, useDeliveries } from './live-deliveries.ts';

export function Deliveries() {
  const isLive = useIsLive();
  const { deliveries, hasWebhooks, isLoading, failure, streamFailure, readAgain, emit, isEmitting } = useDeliveries();
  const [emitted, setEmitted] = useState('');
  const rows = deliveries?.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt)) ?? [];
  return (
    <>
      <p role="status">{isLive ? 'Live: changes appear by themselves.' : 'Not live: connecting …'}</p>
      <Failure what="The deliveries" reason={failure} onRetry={readAgain} />
      {streamFailure !== null && <p role="alert">Changes cannot be followed: {streamFailure}</p>}
      {hasWebhooks ? (
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
      {rows.length > 0 && <Rows rows={rows} />}
      {rows.length === 0 && <p>{isLoading ? 'Reading the deliveries …' : 'There are no deliveries.'}</p>}
    </>
  );
}

const time = (text: string) => new Date(text).toLocaleTimeString('en-GB');

function Rows({ rows }: { rows: readonly Delivery[] }) {
  return (
    <ul className="plain">
      {rows.map(({ id, deliveryId, event, state, attemptCount, lastAttempt, createdAt }) => (
        <li key={id} data-delivery={deliveryId}>
          <strong>{state}</strong> {event ?? 'trigger'}
          <p className="meta">
            <time dateTime={createdAt}>{time(createdAt)}</time>
            {attemptCount} attempts{lastAttempt && `, the last: ${lastAttempt.status ?? lastAttempt.failure}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
