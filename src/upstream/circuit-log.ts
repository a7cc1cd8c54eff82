import type { Logger } from 'pino';
import { boundedLines } from '../telemetry/bounded-lines.ts';
import type { Metrics } from '../telemetry/telemetry.ts';
import type { CircuitChange } from './circuits.ts';

/** A service in trouble opens the circuits of all that call it. */
const linesPerMinute = 60;

/** Logs and counts circuits that open and close. Of what a circuit is for, the line has the id of the API key. */
export function logCircuits(
  logger: Logger,
  metrics: Metrics | null,
  now: () => number,
): (change: CircuitChange) => void {
  const mayLog = boundedLines(linesPerMinute, now);
  return ({ circuit, state, id }) => {
    metrics?.count('postern.upstream.circuit.changes', { circuit, state });
    const fields = mayLog();
    if (fields === null) return;
    const [keyId, capability, accountId] = id?.split('\0') ?? [];
    const message = state === 'open' ? 'upstream circuit opened' : 'upstream circuit closed';
    logger[state === 'open' ? 'warn' : 'info']({ circuit, keyId, capability, accountId, ...fields }, message);
  };
}
