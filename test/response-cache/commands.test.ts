/** Commands end the cached responses of their callers, and reads do not: for every operation. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as accountOperations from '../../src/capabilities/accounts/operations.ts';
import * as deliveryOperations from '../../src/capabilities/deliveries/operations.ts';
import * as jobOperations from '../../src/capabilities/jobs/operations.ts';
import * as postOperations from '../../src/capabilities/posts/operations.ts';
import * as webhookOperations from '../../src/capabilities/webhooks/operations.ts';
import { operation, operationThatNeeds } from '../../src/kernel/operation.ts';
import type { Ports } from '../../src/kernel/ports.ts';
import { requestContext } from '../support/request-context.ts';

const ofCapabilities = { accountOperations, deliveryOperations, jobOperations, postOperations, webhookOperations };

test.each(Object.entries(ofCapabilities))(
  'of the %s all that write end them, but for those of deliveries',
  (name, all) => {
    const ending = Object.values(all).filter(({ endsCached }) => endsCached);
    const writing = Object.values(all).filter(({ scope }) => scope.endsWith(':write'));
    expect(ending).toEqual(name === 'deliveryOperations' ? [] : writing);
  },
);

/** @returns what happens when the operation is performed, in order */
async function stepsOf(performed: typeof operation, request: unknown, outcome: () => Promise<string>) {
  const steps: string[] = [];
  const method = () => async () => {
    steps.push('called');
    return outcome().finally(() => steps.push('settled'));
  };
  const ports = {
    serviceJudges: () => false,
    invalidate: async ({ workspaceId }: { readonly workspaceId: string }) => void steps.push(workspaceId),
  } as unknown as Ports;
  const command = performed('jobs:write', z.string(), method);
  const [settled] = await Promise.allSettled([command.perform(ports, requestContext('w'), request)]);
  return [...steps, settled.status];
}

const done = async () => 'done';
const failed = () => Promise.reject(new Error('nobody knows'));

test.each([
  ['that succeeds', operation, 'text', done, ['called', 'settled', 'w', 'fulfilled']],
  ['that fails, having changed something or not', operation, 'text', failed, ['called', 'settled', 'w', 'rejected']],
  ['whose request is invalid', operation, 1, done, ['rejected']],
  [
    'that leaves the cache',
    operationThatNeeds('postings', { leavesCache: true }),
    'text',
    done,
    ['called', 'settled', 'fulfilled'],
  ],
] as const)('a command %s', async (_name, performed, request, outcome, expected) => {
  expect(await stepsOf(performed, request, outcome)).toEqual(expected);
});
