/** The sandbox's publishing and editing: each call follows the scenario that the posting names. */
import { ServiceError } from '../../../errors.ts';
import type { CheckpointType } from '../../../jobs/shapes.ts';
import type { JobProvider, PublishStep } from '../../provider.ts';
import { wait } from '../delay.ts';
import { enter } from '../sessions.ts';
import { readChallenge, requireSolution, writeChallenge } from './checkpoints.ts';
import { failAt, isScenario, type JobScenario, type JobScenarioName, jobScenarios, scenarioOf } from './scenarios.ts';

/** Edits a posting: nothing is kept, so all that is left is whether the network takes the edit. */
export const editPosting: JobProvider['editPosting'] = async (session, posting, signal) => {
  enter(session, signal);
  const { scenario } = scenarioOf(posting.fields, 'unprocessable_entity');
  await takeTime(scenario, signal);
  failAt('edit', scenario);
};

/** Publishes a draft, or opens the first checkpoint of its scenario. */
export const publish: JobProvider['publish'] = async (session, draft, options, signal) => {
  enter(session, signal);
  const { name, scenario } = scenarioOf(draft.fields, 'invalid_parameters');
  await takeTime(scenario, signal);
  failAt('publish', scenario, options.mode);
  const bypass = options.bypass_email_verification === true;
  const steps = (scenario.steps ?? []).filter((type) => !(bypass && type === 'EMAIL_VERIFICATION'));
  return nextStep(name, steps);
};

/** Answers a checkpoint. The challenge says how it goes on, so editing the draft meanwhile changes nothing. */
export const solveCheckpoint: JobProvider['solveCheckpoint'] = async (session, _draft, checkpoint, input, signal) => {
  enter(session, signal);
  const { scenario: name, remaining } = readChallenge(checkpoint.challenge);
  if (!isScenario(name)) {
    throw new ServiceError('checkpoint_error', { detail: 'The network does not know this checkpoint: publish again.' });
  }
  failAt('checkpoint', jobScenarios[name]);
  requireSolution(checkpoint.type, input);
  return nextStep(name, remaining);
};

function nextStep(name: JobScenarioName, steps: readonly CheckpointType[]): PublishStep {
  const [type, ...remaining] = steps;
  if (type !== undefined) return { kind: 'checkpoint', type, challenge: writeChallenge({ scenario: name, remaining }) };
  const scenario: JobScenario = jobScenarios[name];
  return { kind: 'published', state: scenario.state ?? 'active' };
}

async function takeTime({ delayMs }: JobScenario, signal: AbortSignal): Promise<void> {
  if (delayMs !== undefined) await wait(delayMs, signal);
}
