/** Why something could not be read, and a way to try again. */
export function Failure({ what, reason, onRetry }: { what: string; reason: string | null; onRetry: () => void }) {
  if (reason === null) return null;
  return (
    <div role="alert" className="failure">
      <p>
        {what} could not be read: {reason}
      </p>
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
