/**
 * The delivery engine against what people would take instead: the same deliveries through BullMQ, graphile-worker and a
 * loop that only posts, in turn within each round.
 *
 *   npm ci --prefix test/bench/peers
 *   TEST_POSTGRES_URL=postgres://… TEST_REDIS_URL=redis://… node test/bench/deliveries/run.ts
 *
 * DELIVERIES and ROUNDS say how many. SCENARIOS (names of scenarios.ts) and TARGETS (names of targets.ts) choose, separated
 * by commas. A target whose server is not named is left out. All processes share all cores, as a worker and its database
 * do on a machine of their own; those that are not being measured are stopped meanwhile. TARGETS=sqlite,baselineSqlite measures this
 * checkout beside the one in BASELINE.
 */
import { chosen } from '../chosen.ts';
import { durabilityOf } from './durability.ts';
import { type Installation, install, missing, type Setting, stand } from './installation.ts';
import { type Latency, measureLatency, measureLive, measureThroughput, type Throughput } from './measure.ts';
import { report } from './report.ts';
import { type Scenario, type ScenarioName, scenarios } from './scenarios.ts';
import { type Target, type TargetName, targets, usualTargets } from './targets.ts';

const deliveries = Number(process.env.DELIVERIES ?? 20_000);
const rounds = Number(process.env.ROUNDS ?? 5);
const idle = { count: 300, everyMs: 20, warmUp: 50 } as const;

const say = (text: string) => void process.stderr.write(text);
const scenarioNames = chosen('SCENARIOS', Object.keys(scenarios) as ScenarioName[]);
const targetNames = chosen('TARGETS', Object.keys(targets) as TargetName[], usualTargets).filter((name) => {
  const lack = missing(targets[name]);
  if (lack !== null) say(`${targets[name].title} is left out: ${lack}\n`);
  return lack === null;
});
if (targetNames.length === 0) throw new Error('None of the targets can run on this machine.');

const durability = new Map<Target['store'], string>();

type Measure<Figures> = (target: Target, installation: Installation, count: number) => Promise<Figures>;

/** Round 0 is the warm-up and does not count. */
async function measureRounds<Figures>(
  setting: Setting & Pick<Scenario, 'title'>,
  count: number,
  measure: Measure<Figures>,
): Promise<ReadonlyMap<TargetName, readonly Figures[]>> {
  const installations = new Map<TargetName, Installation>();
  const results = new Map(targetNames.map((name): [TargetName, Figures[]] => [name, []]));
  say(`${setting.title}:`);
  try {
    for (const name of targetNames) {
      const installation = await install(targets[name], setting);
      installations.set(name, installation);
      durability.set(targets[name].store, await durabilityOf(targets[name], installation));
      stand(installation, true);
    }
    for (let round = 0; round <= rounds; round += 1) {
      // None is always the first.
      const order = [...installations];
      if (round % 2 === 0) order.reverse();
      for (const [name, installation] of order) {
        stand(installation, false);
        const figures = await measure(targets[name], installation, round === 0 ? count / 2 : count);
        stand(installation, true);
        if (round > 0) results.get(name)?.push(figures);
      }
      say(round === 0 ? ' warm' : ` ${round}/${rounds}`);
    }
  } finally {
    say('\n');
    for (const installation of installations.values()) await installation.close();
  }
  return results;
}

/** Even for two workers and for ten receivers. */
const countOf = ({ share }: Scenario): number => Math.max(40, Math.round((deliveries * share) / 40) * 40);

const throughput = new Map<ScenarioName, ReadonlyMap<TargetName, readonly Throughput[]>>();
let latency: ReadonlyMap<TargetName, readonly Latency[]> = new Map();
for (const name of scenarioNames) {
  const scenario = scenarios[name];
  if (scenario.measures === 'latency') {
    latency = await measureRounds(scenario, 0, (_target, installation) => measureLatency(installation, idle));
  } else {
    const measure = scenario.measures === 'live' ? measureLive : measureThroughput;
    throughput.set(name, await measureRounds(scenario, countOf(scenario), measure));
  }
}
process.stdout.write(`${rounds} rounds of ${deliveries} deliveries.\n\n`);
process.stdout.write(`${report({ throughput, latency }, targetNames, [...durability.values()])}\n`);
