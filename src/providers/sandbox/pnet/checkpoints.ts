/** The steps that pnet may ask for before it publishes: what answers them, and how the rest of the way is remembered. */

import { type ErrorName, ServiceError } from '../../../errors.ts';
import { type CheckpointType, checkpointTypes } from '../../../jobs/shapes.ts';
import { failAs, outcomeOf, type SandboxSessionName } from '../sessions.ts';

/**
 * The inputs that mean something, for each type of checkpoint, and what comes of them. Any other input is
 * `errors/invalid_checkpoint_solution`, and one that is no 4 to 8 digits is no OTP at all (`errors/invalid_parameters`).
 * As an e-mail token, `sandbox:<error name>` has every outcome of a session too.
 */
export const checkpointInputs = {
  OTP: {
    '123456': 'accepted',
    '000401': 'checkpoint_error',
    '000403': 'action_required',
    '000410': 'expired_link',
    '000422': 'unprocessable_entity',
    '000423': 'account_configuration_error',
    '000500': 'provider_error',
    '000503': 'network_down',
    '000504': 'request_timeout',
  },
  EMAIL_VERIFICATION: {
    'sandbox-email-token': 'accepted',
    'sandbox-expired-token': 'expired_link',
  },
} as const satisfies Record<CheckpointType, Readonly<Record<string, ErrorName | 'accepted'>>>;

type InputOutcome = SandboxSessionName | 'account_configuration_error' | 'accepted';

/** Returns if the input answers the checkpoint, else throws what the network makes of it. */
export function requireSolution(type: CheckpointType, input: string): void {
  requireForm(type, input);
  const inputs: Readonly<Record<string, InputOutcome>> = checkpointInputs[type];
  const outcome = Object.hasOwn(inputs, input) ? inputs[input] : emailOutcome(type, input);
  switch (outcome) {
    case 'accepted':
      return;
    case undefined:
      throw new ServiceError('invalid_checkpoint_solution', { detail: wrongInput[type] });
    case 'expired_link':
      throw new ServiceError('expired_link', {
        detail: 'The verification has expired: publish again to get a new one.',
      });
    case 'account_configuration_error':
      throw new ServiceError('account_configuration_error', {
        detail: 'The configuration of the account prevents the request: mend its settings at the network.',
      });
    default:
      failAs(outcome);
  }
}

const wrongInput = {
  OTP: 'The code is wrong or too old: try again with a fresh one. (In the sandbox it is 123456.)',
  EMAIL_VERIFICATION: 'The token is wrong: try again with a fresh one. (In the sandbox it is sandbox-email-token.)',
} as const satisfies Record<CheckpointType, string>;

function requireForm(type: CheckpointType, input: string): void {
  if (type !== 'OTP' || /^\d{4,8}$/.test(input)) return;
  const message = 'must be a one-time code of 4 to 8 digits';
  throw new ServiceError('invalid_parameters', { detail: `input ${message}`, issues: [{ path: ['input'], message }] });
}

/** `ok` is no error that could be asked for, so `sandbox:ok` is a wrong token like any other. */
function emailOutcome(type: CheckpointType, input: string): InputOutcome | undefined {
  const outcome = type === 'EMAIL_VERIFICATION' ? outcomeOf(input) : undefined;
  return outcome === 'ok' ? undefined : outcome;
}

/** What a challenge holds: the scenario that is on its way, and the steps behind the open one. */
export interface Challenge {
  readonly scenario: string;
  readonly remaining: readonly CheckpointType[];
}

/** A challenge as the gateway keeps it: a text that it does not look into. */
export const writeChallenge = (challenge: Challenge): string => JSON.stringify(challenge);

/** Reads a challenge back. One that the sandbox did not write is `errors/checkpoint_error`. */
export function readChallenge(text: string): Challenge {
  const value = parseJson(text);
  if (isChallenge(value)) return value;
  throw new ServiceError('checkpoint_error', { detail: 'The network does not know this checkpoint: publish again.' });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isChallenge(value: unknown): value is Challenge {
  if (typeof value !== 'object' || value === null) return false;
  const { scenario, remaining } = value as Partial<Record<keyof Challenge, unknown>>;
  return (
    typeof scenario === 'string' &&
    Array.isArray(remaining) &&
    remaining.every((type) => (checkpointTypes as readonly unknown[]).includes(type))
  );
}
