/**
 * What many connections cost: the same rate of requests over 32 and over 1,000 connections. The load is open, so that a
 * request's time does not count how many others a closed load would make it wait for.
 */
import { type Bench, type Figures, measure, median } from './measure.ts';
import { type OperationName, operations } from './operations.ts';
import { type Running, type TargetName, targets } from './targets.ts';

/** The share of what Postern manages over {@link few} connections under closed load. */
const load = 0.6;
const few = 32;
const many = 1_000;
export const connectionCounts = [few, many] as const;

export interface ConnectionFigures {
  readonly operation: OperationName;
  readonly target: TargetName;
  readonly perSecond: number;
  /** A figure for each round, by the number of connections. */
  readonly rounds: Readonly<Record<(typeof connectionCounts)[number], Figures>>[];
}

/** Measures Postern and the byte proxy. Nothing, if Postern is not among the targets: the rate is a share of its own. */
export async function measureConnections(
  bench: Bench,
  running: ReadonlyMap<TargetName, Running>,
  { names, rounds, ms }: { readonly names: readonly OperationName[]; readonly rounds: number; readonly ms: number },
): Promise<ConnectionFigures[]> {
  const postern = running.get('postern');
  if (postern === undefined) return [];
  const results: ConnectionFigures[] = [];
  for (const operation of names) {
    process.stderr.write(`connections, ${operations[operation].title}`);
    const closed: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      closed.push((await measure(bench, postern, operations[operation], { connections: few, ms })).perSecond);
    }
    const perSecond = median(closed) * load;
    const figures = [...running.keys()]
      .filter((target) => target === 'bytes' || targets[target].kind === 'postern')
      .map((target): ConnectionFigures => ({ operation, target, perSecond, rounds: [] }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { target, rounds: done } of figures) {
        const measured = running.get(target) ?? postern;
        const at = (connections: number) =>
          measure(bench, measured, operations[operation], { connections, ms, perSecond });
        done.push({ [few]: await at(few), [many]: await at(many) });
      }
      process.stderr.write(` ${round + 1}/${rounds}`);
    }
    process.stderr.write('\n');
    results.push(...figures);
  }
  return results;
}
