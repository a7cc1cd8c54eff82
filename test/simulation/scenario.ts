/** What happens in a simulation, drawn from its seed: which faults there are, how long it takes, and what callers do when. */
import type { Random } from '../support/random.ts';
import { type Behaviour, behaviourNames } from './network.ts';

/** Something that happens. Destinations are numbers; what does not exist at that moment is passed over. */
export type Happening =
  | { readonly kind: 'emit'; readonly count: number }
  | { readonly kind: 'sendTest' | 'enable' | 'disable' | 'narrow' | 'widen' | 'remove'; readonly webhook: number }
  | { readonly kind: 'create' | 'redeliver' | 'start' | 'stop' | 'kill' }
  | { readonly kind: 'redeliverAll'; readonly webhook: number; readonly state: 'held' | 'failed' | 'succeeded' }
  | { readonly kind: 'behave'; readonly webhook: number; readonly behaviour: Behaviour }
  | { readonly kind: 'killWithin'; readonly statements: number }
  | { readonly kind: 'pauseWithin'; readonly statements: number; readonly ms: number }
  | { readonly kind: 'trouble'; readonly ms: number; readonly probability: number }
  | { readonly kind: 'slowness'; readonly ms: number; readonly slowMs: number }
  | { readonly kind: 'outage' | 'jump' | 'pause'; readonly ms: number };

export interface Scenario {
  readonly name: string;
  readonly processes: number;
  readonly behaviours: readonly Behaviour[];
  readonly retentionDays: number;
  readonly maxEvents: number;
  /** Nothing is wrong but that destinations hang: so those that are good must not wait. */
  readonly isFair: boolean;
  /** With the times, in milliseconds from the start. */
  readonly happenings: readonly (readonly [at: number, Happening])[];
  /** When everything is well again, but for some destinations. */
  readonly calmAt: number;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const day = 24 * hour;

const plain = { retentionDays: 30, maxEvents: 0, isFair: false } as const;

type Draw = (random: Random) => Omit<Scenario, 'name'>;

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

const drawHappening = (random: Random): Happening => {
  const webhook = random.int(4);
  const kind = random.pick([
    'emit',
    'emit',
    'behave',
    'commands',
    'commands',
    'process',
    'process',
    'database',
  ] as const);
  switch (kind) {
    case 'emit':
      return { kind, count: 1 + random.int(3) };
    case 'behave':
      return { kind, webhook, behaviour: random.pick(behaviourNames) };
    case 'commands': {
      const command = random.pick([
        'sendTest',
        'enable',
        'disable',
        'narrow',
        'widen',
        'remove',
        'create',
        'redeliver',
        'redeliverAll',
        'redeliverAll',
        'enable',
      ] as const);
      if (command === 'redeliverAll')
        return { kind: command, webhook, state: random.pick(['held', 'failed', 'succeeded']) };
      return command === 'create' || command === 'redeliver' ? { kind: command } : { kind: command, webhook };
    }
    case 'process':
      return random.pick([
        { kind: 'kill' },
        { kind: 'killWithin', statements: 1 + random.int(40) },
        { kind: 'killWithin', statements: 1 + random.int(10) },
        { kind: 'pauseWithin', statements: 1 + random.int(20), ms: random.pick([5 * second, 40 * second, minute]) },
        { kind: 'stop' },
        { kind: 'pause', ms: 1 + random.int(random.pick([2 * second, minute, 2 * minute])) },
        { kind: 'start' },
      ] as const);
    case 'database':
      return random.pick([
        { kind: 'trouble', ms: 1 + random.int(10 * second), probability: random.pick([0.02, 0.1, 0.4]) },
        { kind: 'slowness', ms: 1 + random.int(20 * second), slowMs: random.pick([50, 2 * second, 12 * second]) },
        { kind: 'outage', ms: 1 + random.int(random.pick([3 * second, minute])) },
      ] as const);
    default:
      return kind satisfies never;
  }
};

/** Minutes in which everything goes wrong. */
const storm: Draw = (random) => {
  const calmAt = random.pick([20 * second, 20 * second, 3 * minute, 20 * minute]);
  const emits = times(1 + random.int(3)).map(() => random.int(calmAt));
  const soonAfter = () => Math.min(calmAt, random.pick(emits) + random.int(random.pick([100, second, 20 * second])));
  return {
    ...plain,
    processes: 1 + random.int(3),
    behaviours: times(1 + random.int(3)).map(() =>
      random.pick(['good', 'good', 'good', 'fades', random.pick(behaviourNames), random.pick(behaviourNames)]),
    ),
    happenings: [
      ...emits.map((at) => [at, { kind: 'emit', count: 1 + random.int(2) }] as const),
      ...times(3 + random.int(9)).map(() => [soonAfter(), drawHappening(random)] as const),
    ],
    calmAt,
  };
};

/** Days of retries, while processes come and go and clocks jump. */
const days: Draw = (random) => {
  const calmAt = random.pick([8 * hour, 2 * day, 4 * day]);
  const jumps = random.chance(0.4)
    ? [[random.int(calmAt), { kind: 'jump', ms: random.int(8 * hour) - 2 * hour }] as const]
    : [];
  return {
    ...plain,
    processes: 1 + random.int(2),
    behaviours: times(1 + random.int(2)).map(() => random.pick(behaviourNames)),
    happenings: [
      ...times(1 + random.int(2)).map(() => [random.int(calmAt / 2), { kind: 'emit', count: 1 }] as const),
      ...times(random.int(5)).map(() => [random.int(calmAt), drawHappening(random)] as const),
      ...jumps,
    ],
    calmAt,
  };
};

/** A destination that fails for as long as it takes to be disabled, or nearly. */
const failing: Draw = (random) => {
  const calmAt = 7 * day;
  return {
    ...plain,
    processes: 1,
    behaviours: [random.pick(['fails', 'refuses', 'hangs', 'nameless', 'cannotBeSentTo'])],
    happenings: [
      ...[0, 2.5 * day, 4.9 * day].map(
        (at) => [Math.round(at + random.int(day / 8)), { kind: 'emit', count: 1 }] as const,
      ),
      ...(random.chance(0.3)
        ? ([
            [2 * day + random.int(day), { kind: 'behave', webhook: 0, behaviour: 'good' }],
            [3 * day + random.int(day), { kind: 'behave', webhook: 0, behaviour: 'fails' }],
          ] as const)
        : []),
      ...(random.chance(0.5)
        ? ([
            [calmAt - hour, { kind: 'enable', webhook: 0 }],
            [calmAt - 1, { kind: 'redeliverAll', webhook: 0, state: 'held' }],
          ] as const)
        : []),
    ],
    calmAt,
  };
};

/** Destinations that hang, with much to do, and one that is good. */
const crowd: Draw = (random) => ({
  ...plain,
  isFair: true,
  processes: 1 + random.int(2),
  behaviours: [
    'good',
    ...times(2 + random.int(5)).map(() => random.pick(['hangs', 'slow', 'hasNoNameServer'] as const)),
  ],
  happenings: times(4 + random.int(4)).map(
    () => [random.int(40 * second), { kind: 'emit', count: 1 + random.int(3) }] as const,
  ),
  calmAt: minute,
});

/** Events that become too old, or too many. */
const retention: Draw = (random) => ({
  ...plain,
  retentionDays: 1,
  maxEvents: random.pick([0, 0, 2]),
  processes: 1 + random.int(2),
  behaviours: [random.pick(['good', 'fails']), random.pick(behaviourNames)],
  happenings: [
    ...times(3).map(() => [random.int(day), { kind: 'emit', count: 1 + random.int(2) }] as const),
    ...(random.chance(0.5) ? [[random.int(day), { kind: 'disable', webhook: random.int(2) }] as const] : []),
    ...(random.chance(0.5) ? [[random.int(day), { kind: 'kill' }] as const] : []),
  ],
  calmAt: 2 * day,
});

/** Each as often as it is here. */
const draws = [
  ...times(6).map(() => ['storm', storm] as const),
  ['days', days],
  ['days', days],
  ['failing', failing],
  ['crowd', crowd],
  ['retention', retention],
] as const;

export function drawScenario(random: Random): Scenario {
  const [name, draw] = random.pick(draws);
  return { name, ...draw(random) };
}
