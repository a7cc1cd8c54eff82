import { expect, test } from 'vitest';
import {
  breakerRules,
  type CallOutcome,
  type CircuitBreaker,
  createCircuitBreaker,
  type Permit,
} from '../../src/upstream/circuit-breaker.ts';

function setUp() {
  const clock = { now: 1_000_000 };
  const breaker = createCircuitBreaker(() => clock.now);
  /** Makes a call; false if the breaker refuses it. */
  const call = (outcome: CallOutcome) => {
    const permit = breaker.tryAcquire();
    if ('record' in permit) permit.record(outcome);
    return 'record' in permit;
  };
  return { clock, breaker, call };
}

function requirePermit(breaker: CircuitBreaker): Permit {
  const permit = breaker.tryAcquire();
  if (!('record' in permit)) throw new Error('The circuit is open');
  return permit;
}

test('opens when half of enough calls have failed, and not before', () => {
  const { call, breaker } = setUp();
  for (let n = 0; n < breakerRules.minCalls / 2; n += 1) expect(call('success')).toBe(true);
  for (let n = 0; n < breakerRules.minCalls / 2; n += 1) expect(call('failure')).toBe(true);
  expect(breaker.tryAcquire()).toEqual({ retryInMs: breakerRules.openMs });
});

test('stays closed for few failures among many calls, and for outcomes that nobody waited for', () => {
  const { call } = setUp();
  for (let n = 0; n < 100; n += 1) expect(call(n % 3 === 0 ? 'failure' : 'success')).toBe(true);
  for (let n = 0; n < 100; n += 1) expect(call('unknown')).toBe(true);
});

test('forgets failures with time', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < 200; n += 1) {
    expect(call('failure')).toBe(true);
    clock.now += breakerRules.windowMs / (breakerRules.minCalls - 1);
  }
});

test('permits one trial at a time when half-open, and closes when it succeeds', () => {
  const { call, breaker, clock } = setUp();
  for (let n = 0; n < breakerRules.minCalls; n += 1) call('failure');
  clock.now += breakerRules.openMs - 1;
  expect(breaker.tryAcquire()).toEqual({ retryInMs: 1 });
  clock.now += 1;
  const trial = requirePermit(breaker);
  expect(breaker.tryAcquire()).toHaveProperty('retryInMs');
  trial.record('success');
  for (let n = 0; n < breakerRules.minCalls - 1; n += 1) expect(call('failure')).toBe(true);
});

test('a failed trial doubles the wait, up to a bound; a trial with an unknown outcome makes way for the next', () => {
  const { call, breaker, clock } = setUp();
  for (let n = 0; n < breakerRules.minCalls; n += 1) call('failure');
  for (let wait: number = breakerRules.openMs; wait < breakerRules.maxOpenMs * 4; wait *= 2) {
    expect(breaker.tryAcquire()).toEqual({ retryInMs: Math.min(wait, breakerRules.maxOpenMs) });
    clock.now += Math.min(wait, breakerRules.maxOpenMs);
    requirePermit(breaker).record('unknown');
    requirePermit(breaker).record('failure');
  }
});

test('a clock that is set back does not keep the circuit open', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < breakerRules.minCalls; n += 1) call('failure');
  clock.now -= 3_600_000;
  expect(call('success')).toBe(true);
});
