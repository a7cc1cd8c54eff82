/** Checkpoints that pnet may open before it publishes: inputs that solve them, and the challenge that continues. */
import { z } from 'zod';
import { type CheckpointType, jobCheckpointOpenedShape } from '../../../capabilities/jobs/shapes.ts';
import { type ErrorName, errorNames, errorTable, ServiceError } from '../../../kernel/errors.ts';
import { sandboxSessions } from '../sessions.ts';

/**
 * Outcomes of known inputs by type. Any other input is `errors/invalid_checkpoint_solution`; an OTP that is not 4 to 8
 * digits is `errors/invalid_parameters`. The e-mail token `sandbox:<error name>` fails with that error.
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

/** @throws ServiceError with the outcome of the input, unless it solves the checkpoint */
export function requireSolution(type: CheckpointType, input: string): void {
  requireForm(type, input);
  const inputs: Readonly<Record<string, ErrorName | 'accepted'>> = checkpointInputs[type];
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
        detail: 'The configuration of the account prevents the request: correct its settings on the network.',
      });
    default:
      throw new ServiceError(outcome, { detail: failureDetail(outcome) });
  }
}

const wrongInput = {
  OTP: 'The code is wrong or has expired: try again with a new one. (In the sandbox it is 123456.)',
  EMAIL_VERIFICATION: 'The token is wrong: try again with a new one. (In the sandbox it is sandbox-email-token.)',
} as const satisfies Record<CheckpointType, string>;

function requireForm(type: CheckpointType, input: string): void {
  if (type !== 'OTP' || /^\d{4,8}$/.test(input)) return;
  const message = 'must be a one-time code of 4 to 8 digits';
  throw new ServiceError('invalid_parameters', {
    detail: `input ${message}`,
    issues: [{ path: ['input'], code: 'malformed', message }],
  });
}

const emailOutcome = (type: CheckpointType, input: string): ErrorName | undefined =>
  type === 'EMAIL_VERIFICATION' ? errorNames.find((name) => input === `sandbox:${name}`) : undefined;

function failureDetail(name: ErrorName): string {
  const details: { readonly [each in ErrorName]?: string } = sandboxSessions;
  return details[name] ?? `The network rejects the input: ${errorTable[name].title.toLowerCase()}.`;
}

const challengeShape = z.object({
  scenario: z.string(),
  remaining: z.array(jobCheckpointOpenedShape.shape.type),
});

/** How the publication continues after the open checkpoint. */
type Challenge = z.infer<typeof challengeShape>;

/** Opaque to the gateway. */
export const encodeChallenge = (challenge: Challenge): string => JSON.stringify(challenge);

/** @throws ServiceError `checkpoint_error` for a challenge that the sandbox did not write */
export function decodeChallenge(text: string): Challenge {
  const { success, data } = challengeShape.safeParse(parseChallenge(text));
  if (success) return data;
  throw new ServiceError('checkpoint_error', { detail: 'The network does not know this checkpoint: publish again.' });
}

function parseChallenge(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
