/** Publishing and editing on pnet, by the scenario that the posting names. */

import type { CheckpointType } from '../../../capabilities/jobs/shapes.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import type { JobProvider, PublishStep } from '../../provider.ts';
import { delay } from '../delay.ts';
import { requireValidSession } from '../sessions.ts';
import { decodeChallenge, encodeChallenge, requireSolution } from './checkpoints.ts';
import { failAt, isScenario, type JobScenario, type JobScenarioName, jobScenarios, scenarioOf } from './scenarios.ts';

export const checkSession: JobProvider['checkSession'] = async (session, signal) =>
  requireValidSession(session, signal);

/** Stateless: finds the publications that the scenario itself speaks of. */
export const findPublished: JobProvider['findPublished'] = async (session, draft, signal) => {
  requireValidSession(session, signal);
  return scenarioOf(draft.fields, 'invalid_parameters').scenario.published ?? null;
};

/** Stateless: an edit only succeeds or fails. */
export const editPosting: JobProvider['editPosting'] = async (session, posting, signal) => {
  requireValidSession(session, signal);
  const { scenario } = scenarioOf(posting.fields, 'unprocessable_entity');
  await delayBy(scenario, signal);
  failAt('edit', scenario);
};

/** Publishes the draft, or opens the first checkpoint of its scenario. */
export const publish: JobProvider['publish'] = async (session, draft, options, signal) => {
  requireValidSession(session, signal);
  const { name, scenario } = scenarioOf(draft.fields, 'invalid_parameters');
  await delayBy(scenario, signal);
  failAt('publish', scenario, options.mode);
  const bypass = options.bypass_email_verification === true;
  const steps = (scenario.steps ?? []).filter((type) => !(bypass && type === 'EMAIL_VERIFICATION'));
  return nextStep(name, steps);
};

/** The challenge holds the rest of the scenario, so a later edit of the draft has no effect. */
export const solveCheckpoint: JobProvider['solveCheckpoint'] = async (session, _draft, checkpoint, input, signal) => {
  requireValidSession(session, signal);
  const { scenario: name, remaining } = decodeChallenge(checkpoint.challenge);
  if (!isScenario(name)) {
    throw new ServiceError('checkpoint_error', { detail: 'The network does not know this checkpoint: publish again.' });
  }
  failAt('checkpoint', jobScenarios[name]);
  requireSolution(checkpoint.type, input);
  return nextStep(name, remaining);
};

function nextStep(name: JobScenarioName, steps: readonly CheckpointType[]): PublishStep {
  const [type, ...remaining] = steps;
  if (type !== undefined)
    return { kind: 'checkpoint', type, challenge: encodeChallenge({ scenario: name, remaining }) };
  const scenario: JobScenario = jobScenarios[name];
  return { kind: 'published', state: scenario.state ?? 'active' };
}

async function delayBy({ delayMs }: JobScenario, signal: AbortSignal): Promise<void> {
  if (delayMs !== undefined) await delay(delayMs, signal);
}
