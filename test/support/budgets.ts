import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { budgets, type Group, groupOf } from './groups.ts';

/**
 * Says how much CPU time each group took, and fails a run in which one took more than its budget, with the suites that
 * took most. CPU time, because waiting for a busy machine does not count.
 */
export default class BudgetsReporter implements Reporter {
  #isQuick = false;

  onInit({ config }: Vitest): void {
    this.#isQuick = config.mode === 'quick';
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const took = new Map<Group, Took[]>();
    for (const module of modules) {
      const group = this.#isQuick ? 'quick' : groupOf(module.relativeModuleId);
      const suites = took.get(group) ?? [];
      took.set(group, suites);
      suites.push({ file: module.relativeModuleId, seconds: module.meta().cpuSeconds ?? 0 });
    }
    const totals = [...took].map(([group, suites]) => ({ group, suites, seconds: sum(suites), most: budgets[group] }));
    const lines = totals.map(({ group, seconds, most }) => `  - ${group}: ${seconds.toFixed(0)} of ${most} s\n`);
    process.stdout.write(`\nCPU time of the groups:\n${lines.join('')}`);
    const exceeding = totals.filter(({ seconds, most }) => seconds > most);
    for (const { group, suites } of exceeding) {
      process.exitCode = 1;
      const slowest = suites.sort((one, other) => other.seconds - one.seconds).slice(0, 3);
      const files = slowest.map(({ file, seconds }) => `  - ${file}: ${seconds.toFixed(1)} s\n`);
      process.stdout.write(`\nFAIL: the group ${group} exceeds its budget. Its slowest suites:\n${files.join('')}`);
    }
  }
}

interface Took {
  readonly file: string;
  readonly seconds: number;
}

const sum = (suites: readonly Took[]): number => suites.reduce((total, { seconds }) => total + seconds, 0);
