import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that failed once and passed when they ran again, so that each can be mended. */
export default class UnsteadyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const unsteady = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky === true)
        .map((test) => `  - ${module.relativeModuleId}: ${test.fullName}\n`),
    );
    if (unsteady.length > 0) process.stdout.write(`\nPassed only when they ran again:\n${unsteady.join('')}`);
  }
}
