import type { Reporter, Vitest } from 'vitest/node';
import { groups } from './groups.ts';
import { leftOut } from './servers.ts';

/** Lists after the results what the run and the machine left out. */
export default class LeftOutReporter implements Reporter {
  #isQuick = false;

  onInit({ config }: Vitest): void {
    this.#isQuick = config.mode === 'quick';
  }

  onTestRunEnd(): void {
    const all = [...(this.#isQuick ? quickRun : []), ...leftOut];
    if (all.length === 0) return;
    process.stdout.write(`\nLeft out:\n${all.map((what) => `  - ${what}\n`).join('')}`);
  }
}

const quickRun = [
  `suites of ${Object.keys(groups).join(', ')}, and those of clients: npm run test:all`,
  'the linters of test/lint: npm run lint:all',
];
