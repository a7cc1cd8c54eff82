/** What Postern is to reach. */
import { median } from '../measure.ts';
import { medianRatio } from '../report.ts';
import type { Results } from './report.ts';
import type { ScenarioName } from './scenarios.ts';
import type { TargetName } from './targets.ts';

export interface Goal {
  readonly title: string;
  readonly goal: string;
  /** NaN if it was not measured. */
  readonly value: number;
  readonly met: boolean;
}

export function goals({ throughput, latency }: Results): readonly Goal[] {
  const rates = (target: TargetName, scenario: ScenarioName = 'one') =>
    throughput
      .get(scenario)
      ?.get(target)
      ?.map(({ perSecond }) => perSecond);
  const least = (title: string, goal: number, value: number): Goal => ({
    title,
    goal: `≥ ${goal}`,
    value,
    met: value >= goal,
  });
  const p99 = (title: string, target: TargetName): Goal => {
    const value = median((latency.get(target) ?? []).map((each) => each.p99));
    return { title: `${title}, idle, emit to first byte, p99 ms`, goal: '≤ 15', value, met: value <= 15 };
  };
  return [
    least('SQLite ÷ bare loop', 0.7, medianRatio(rates('sqlite'), rates('bare'))),
    least('Postgres ÷ bare loop', 0.5, medianRatio(rates('postgres'), rates('bare'))),
    least('Postgres ÷ graphile-worker, defaults', 1.5, medianRatio(rates('postgres'), rates('graphile'))),
    least('Postgres ÷ graphile-worker, batching', 1.5, medianRatio(rates('postgres'), rates('batching'))),
    least('SQLite ÷ BullMQ', 1, medianRatio(rates('sqlite'), rates('bullmq'))),
    least('Postgres ÷ BullMQ', 1, medianRatio(rates('postgres'), rates('bullmq'))),
    least(
      'Postgres, two workers ÷ one, 50 ms',
      1.6,
      medianRatio(rates('postgres', 'replicas'), rates('postgres', 'slow')),
    ),
    p99('SQLite', 'sqlite'),
    p99('Postgres', 'postgres'),
  ];
}
