import type { Reporter } from 'vitest/node';
import { leftOut } from './servers.ts';

/** Lists after the results what the machine could not run. */
export default class LeftOutReporter implements Reporter {
  onTestRunEnd(): void {
    if (leftOut.length === 0) return;
    process.stdout.write(`\nLeft out on this machine:\n${leftOut.map((what) => `  - ${what}\n`).join('')}`);
  }
}
