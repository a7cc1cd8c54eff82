import type { Reporter, TestModule } from 'vitest/node';

/** How long `npm test` may take, in milliseconds. */
const budgetMs = 30_000;

/** Names the slowest suites of a quick run that was not quick: they are candidates for a group of groups.ts. */
export default class QuickBudgetReporter implements Reporter {
  #started = 0;

  onTestRunStart(): void {
    this.#started = performance.now();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const took = performance.now() - this.#started;
    if (took <= budgetMs) return;
    const slowest = modules
      .map((module) => ({ file: module.relativeModuleId, ms: module.diagnostic().duration }))
      .sort((one, other) => other.ms - one.ms)
      .slice(0, 3)
      .map(({ file, ms }) => `  - ${file}: ${seconds(ms)}\n`);
    process.stdout.write(`\nThe quick run took ${seconds(took)}. Its slowest suites:\n${slowest.join('')}`);
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
