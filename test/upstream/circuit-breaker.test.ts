import { expect, test } from 'vitest';
import {
  breakerRules,
  type CallOutcome,
  type CircuitBreaker,
  createCircuitBreaker,
  type Permit,
} from '../../src/upstream/circuits.ts';

const rules = breakerRules;

function setUp() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const breaker = createCircuitBreaker(now);
  /** Makes a call; false if the breaker refuses it. */
  const call = (outcome: CallOutcome, target = 'a') => {
    const permit = breaker.tryAcquire(target);
    if ('record' in permit) permit.record(outcome);
    return 'record' in permit;
  };
  return { clock, breaker, call };
}

function requirePermit(breaker: CircuitBreaker, target = 'a'): Permit {
  const permit = breaker.tryAcquire(target);
  if (!('record' in permit)) throw new Error('The circuit is open');
  return permit;
}

test('opens after enough failures in a row, and not before', () => {
  const { call, breaker } = setUp();
  for (let n = 0; n < rules.minFailures; n += 1) expect(call('failure')).toBe(true);
  expect(breaker.tryAcquire('a')).toEqual({ retryInMs: breakerRules.openMs });
});

test('stays closed for outcomes that nobody waited for', () => {
  const { call } = setUp();
  for (let n = 0; n < 100; n += 1) expect(call('unknown')).toBe(true);
});

test('stays closed while anything succeeds now and then, however much fails', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < 1_000; n += 1) {
    clock.now += rules.withoutSuccessMs / 100;
    expect(call(n % 100 === 0 ? 'success' : 'failure', n % 100 === 0 ? 'a' : 'b')).toBe(true);
  }
});

test('opens when what had succeeded has only failed for a while', () => {
  const { call, clock } = setUp();
  call('success');
  for (let n = 0; n < 100; n += 1) expect(call('failure')).toBe(true);
  clock.now += rules.withoutSuccessMs;
  expect(call('failure')).toBe(true);
  expect(call('success')).toBe(false);
});

test('permits a few trials at a time when half-open, one for each target, and closes when one succeeds', () => {
  const { call, breaker, clock } = setUp();
  for (let n = 0; n < rules.minFailures; n += 1) call('failure');
  clock.now += breakerRules.openMs - 1;
  expect(breaker.tryAcquire('a')).toEqual({ retryInMs: 1 });
  clock.now += 1;
  const failing = requirePermit(breaker, 'a');
  expect(breaker.tryAcquire('a')).toHaveProperty('retryInMs');
  const [healthy] = [requirePermit(breaker, 'b'), requirePermit(breaker, 'c')];
  expect(breaker.tryAcquire('d')).toHaveProperty('retryInMs');
  failing.record('failure');
  // The others decide.
  expect(breaker.tryAcquire('d')).toHaveProperty('retryInMs');
  healthy?.record('success');
  for (let n = 0; n < rules.minFailures - 1; n += 1) expect(call('failure')).toBe(true);
});

test('trials that all fail double the wait, up to a bound; one with an unknown outcome makes way for the next', () => {
  const { call, breaker, clock } = setUp();
  for (let n = 0; n < rules.minFailures; n += 1) call('failure');
  for (let wait: number = breakerRules.openMs; wait < breakerRules.maxOpenMs * 4; wait *= 2) {
    expect(breaker.tryAcquire('a')).toEqual({ retryInMs: Math.min(wait, breakerRules.maxOpenMs) });
    clock.now += Math.min(wait, breakerRules.maxOpenMs);
    requirePermit(breaker).record('unknown');
    const trials = ['a', 'b', 'c'].map((target) => requirePermit(breaker, target));
    trials[0]?.record('failure');
    trials[1]?.record('unknown');
    trials[2]?.record('failure');
  }
});

test('a clock that is set back does not keep the circuit open', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < rules.minFailures; n += 1) call('failure');
  clock.now -= 3_600_000;
  expect(call('success')).toBe(true);
});

test('calls from before it opened do not count after it has closed', () => {
  const { breaker, call, clock } = setUp();
  const hanging = Array.from({ length: rules.minFailures }, () => requirePermit(breaker));
  for (let n = 0; n < rules.minFailures; n += 1) call('failure');
  clock.now += breakerRules.openMs;
  expect(call('success')).toBe(true);
  clock.now += rules.withoutSuccessMs;
  for (const permit of hanging) permit.record('failure');
  expect(call('success')).toBe(true);
});
