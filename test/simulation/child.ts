/** A process that simulates some of the seeds, and reports each of them. */
import { once } from 'node:events';
import { mutantsOf } from '../mutants/mutants.ts';
import { seed as seedBug } from '../mutants/replacement.ts';

export interface Order {
  readonly seeds: readonly number[];
  readonly bug: string | null;
  readonly trace: boolean;
}

export interface Report {
  readonly seed: number;
  readonly scenario: string;
  readonly violation: string | null;
  readonly digest: string;
}

const [{ seeds, bug, trace }] = (await once(process, 'message')) as [Order];
if (bug !== null) seedBug(mutantsOf('simulation').get(bug)?.replacements ?? []);
// Only now, because a bug is in the modules that are loaded from here on.
const { openSimulationDatabase, simulate } = await import('./simulate.ts');

const send = (message: Report | string) =>
  new Promise<void>((resolve) => void process.send?.(message, () => resolve()));

const database = await openSimulationDatabase();
for (const seed of seeds) {
  const write = trace ? (line: string) => void send(line) : null;
  const { scenario, violation, digest } = await simulate(seed, database, write);
  await send({ seed, scenario, violation: violation === null ? null : (violation.stack ?? String(violation)), digest });
}
process.disconnect?.();
