import { expect, test } from 'vitest';
import {
  breakerRules,
  type CircuitBreaker,
  createCircuitBreaker,
  type Outcome,
  type Permit,
} from '../../src/upstream/circuit-breaker.ts';
import { outcomeWindow } from '../../src/upstream/outcome-window.ts';

const rules = { windowMs: 10_000, slices: 10, minCalls: 20, failureRate: 0.5, minMembers: 1 };

function setUp(more: Partial<typeof rules> = {}) {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const breaker = createCircuitBreaker(outcomeWindow({ ...rules, ...more }, now), now);
  /** Makes a call; false if the breaker refuses it. */
  const call = (outcome: Outcome, member = 'a') => {
    const permit = breaker.tryAcquire(member);
    if ('record' in permit) permit.record(outcome);
    return 'record' in permit;
  };
  return { clock, breaker, call };
}

function requirePermit(breaker: CircuitBreaker, member = 'a'): Permit {
  const permit = breaker.tryAcquire(member);
  if (!('record' in permit)) throw new Error('The circuit is open');
  return permit;
}

test('opens when half of enough calls have failed, and not before', () => {
  const { call, breaker } = setUp();
  for (let n = 0; n < rules.minCalls / 2; n += 1) expect(call('success')).toBe(true);
  for (let n = 0; n < rules.minCalls / 2; n += 1) expect(call('failure')).toBe(true);
  expect(breaker.tryAcquire('a')).toEqual({ retryInMs: breakerRules.openMs });
});

test('stays closed for few failures among many calls, and for outcomes that nobody waited for', () => {
  const { call } = setUp();
  for (let n = 0; n < 100; n += 1) expect(call(n % 3 === 0 ? 'failure' : 'success')).toBe(true);
  for (let n = 0; n < 100; n += 1) expect(call('unknown')).toBe(true);
});

test('stays closed while half of the members succeed, however often the others fail', () => {
  const { call } = setUp();
  for (let n = 0; n < 1_000; n += 1) expect(call('failure', 'a')).toBe(n < rules.minCalls);
  const two = setUp();
  for (let n = 0; n < 1_000; n += 1) expect(two.call(n % 100 === 0 ? 'success' : 'failure', n % 100 === 0 ? 'a' : 'b'));
  expect(two.call('success', 'a')).toBe(true);
});

test('knows the members that succeeded before the first failure, as long as they are recent', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < 500; n += 1) call('success', `${n}`);
  for (let n = 0; n < 600; n += 1) expect(call('failure', 'bad')).toBe(true);
  clock.now += rules.windowMs;
  for (let n = 0; n < rules.minCalls; n += 1) expect(call('failure', 'bad')).toBe(true);
  expect(call('failure', 'bad')).toBe(false);
});

test('opens when more than half of the members fail, and enough of them', () => {
  const { call } = setUp({ minMembers: 3 });
  for (let n = 0; n < 100; n += 1) expect(call('failure', n % 2 === 0 ? 'a' : 'b')).toBe(true);
  for (const healthy of ['x', 'y', 'z']) expect(call('success', healthy)).toBe(true);
  expect(call('failure', 'c')).toBe(true);
  expect(call('failure', 'd')).toBe(true);
  expect(call('success', 'x')).toBe(false);
});

test('forgets failures with time', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < 200; n += 1) {
    expect(call('failure')).toBe(true);
    clock.now += rules.windowMs / (rules.minCalls - 1);
  }
});

test('forgets members with time', () => {
  const { call, clock } = setUp({ minMembers: 3 });
  for (const member of ['a', 'b', 'c']) call('failure', member);
  clock.now += rules.windowMs;
  for (let n = 0; n < 100; n += 1) expect(call('failure', 'd')).toBe(true);
});

test('permits a few trials at a time when half-open, one for each member, and closes when one succeeds', () => {
  const { call, breaker, clock } = setUp();
  for (let n = 0; n < rules.minCalls; n += 1) call('failure');
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
  for (let n = 0; n < rules.minCalls - 1; n += 1) expect(call('failure')).toBe(true);
});

test('trials that all fail double the wait, up to a bound; one with an unknown outcome makes way for the next', () => {
  const { call, breaker, clock } = setUp();
  for (let n = 0; n < rules.minCalls; n += 1) call('failure');
  for (let wait: number = breakerRules.openMs; wait < breakerRules.maxOpenMs * 4; wait *= 2) {
    expect(breaker.tryAcquire('a')).toEqual({ retryInMs: Math.min(wait, breakerRules.maxOpenMs) });
    clock.now += Math.min(wait, breakerRules.maxOpenMs);
    requirePermit(breaker).record('unknown');
    const trials = ['a', 'b', 'c'].map((member) => requirePermit(breaker, member));
    trials[0]?.record('failure');
    trials[1]?.record('unknown');
    trials[2]?.record('failure');
  }
});

test('a clock that is set back does not keep the circuit open', () => {
  const { call, clock } = setUp();
  for (let n = 0; n < rules.minCalls; n += 1) call('failure');
  clock.now -= 3_600_000;
  expect(call('success')).toBe(true);
});

test('calls from before it opened do not count after it has closed', () => {
  const { breaker, call, clock } = setUp();
  const hanging = Array.from({ length: rules.minCalls }, () => requirePermit(breaker));
  for (let n = 0; n < rules.minCalls; n += 1) call('failure');
  clock.now += breakerRules.openMs;
  expect(call('success')).toBe(true);
  for (const permit of hanging) permit.record('failure');
  expect(call('success')).toBe(true);
});
