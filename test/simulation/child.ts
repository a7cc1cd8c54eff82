/** A process that simulates some of the seeds, and reports each of them. */
import { mutantsOf } from '../mutants/mutants.ts';
import { seed as seedBug } from '../mutants/replacement.ts';

export interface Order {
  readonly from: number;
  /** From one seed to the next. */
  readonly step: number;
  /** Behind the last seed. */
  readonly end: number;
  readonly bug: string | null;
  readonly trace: boolean;
}

export interface Report {
  readonly seed: number;
  readonly scenario: string;
  readonly violation: string | null;
  readonly digest: string;
}

const { from, step, end, bug, trace } = JSON.parse(process.argv[2] ?? '') as Order;
if (bug !== null) seedBug(mutantsOf('simulation').get(bug)?.replacements ?? []);
// Only now, because a bug is in the modules that are loaded from here on.
const { openSimulationDatabase, simulate } = await import('./simulate.ts');

const send = (message: Report | string) =>
  new Promise<void>((resolve) => void process.send?.(message, () => resolve()));

const database = await openSimulationDatabase();
for (let seed = from; seed < end; seed += step) {
  const write = trace ? (line: string) => void send(line) : null;
  const { scenario, violation, digest } = await simulate(seed, database, write);
  await send({ seed, scenario, violation: violation === null ? null : (violation.stack ?? String(violation)), digest });
}
process.disconnect?.();
