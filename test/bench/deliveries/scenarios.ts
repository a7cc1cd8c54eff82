/** What is measured, and under which conditions. */
import { laneLimits } from '../../../src/delivery/lanes.ts';
import type { Setting } from './installation.ts';

export interface Scenario extends Setting {
  readonly title: string;
  readonly measures: 'throughput' | 'live' | 'latency';
  /** Of the deliveries of a round: slow receivers get fewer. */
  readonly share: number;
}

const { perDestination, slots } = laneLimits;
const usual = {
  measures: 'throughput',
  receivers: 1,
  delayMs: 0,
  concurrency: perDestination,
  replicas: 1,
  share: 1,
} as const;
const slow = { ...usual, delayMs: 50, share: 0.25 } as const;

export const scenarios = {
  one: { ...usual, title: 'one receiver' },
  ten: { ...usual, title: 'ten receivers', receivers: 10, concurrency: slots },
  slow: { ...slow, title: 'one receiver that takes 50 ms, one worker' },
  replicas: { ...slow, title: 'one receiver that takes 50 ms, two workers', replicas: 2, share: 0.5 },
  live: { ...usual, title: 'events that the worker emits', measures: 'live', share: 0.25 },
  liveReplicas: { ...usual, title: 'events that four workers emit', measures: 'live', share: 0.25, replicas: 4 },
  latency: { ...usual, title: 'an event every 20 ms, nothing waiting', measures: 'latency' },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
