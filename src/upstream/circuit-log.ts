import type { Logger } from 'pino';
import { boundedLines } from '../telemetry/bounded-lines.ts';
import type { Metrics } from '../telemetry/telemetry.ts';
import type { CircuitChange } from './circuits.ts';

/** A service in trouble opens the circuits of all that call it. */
const linesPerMinute = 60;

/** Logs and counts circuits that open and close. */
export function logCircuits(
  logger: Logger,
  metrics: Metrics | null,
  now: () => number,
): (change: CircuitChange) => void {
  const mayLog = boundedLines(linesPerMinute, now);
  return ({ state, keyId, capability, accountId }) => {
    metrics?.count('postern.upstream.circuit.changes', { state });
    const fields = mayLog();
    if (fields === null) return;
    const message = state === 'open' ? 'upstream circuit opened' : 'upstream circuit closed';
    logger[state === 'open' ? 'warn' : 'info']({ keyId, capability, accountId, ...fields }, message);
  };
}
