import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { groups } from './test/support/groups.ts';
import LongestFirst from './test/support/longest-first.ts';

/** Suites of a group, and those with packages of their own: what `npm test` leaves out. */
const grouped = [
  'test/clients/**/*.test.ts',
  'test/examples/**/*.test.ts',
  ...Object.keys(groups).map((group) => `test/**/*.${group}.test.ts`),
];

/** Suites that load packages of others, weigh the memory of their process, or put collections of their own into every module. */
const alone = [
  'test/clients/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/repo/floods.slow.test.ts',
  'test/response-cache/memory-store.slow.test.ts',
  'test/upstream/client.load.slow.test.ts',
];

/** The modules are loaded once for all other suites: to load those of a gateway takes 1.3 s of CPU time. */
const without = (left: readonly string[]) => ({
  include: ['test/**/*.test.ts'],
  exclude: [...configDefaults.exclude, ...left],
  isolate: false,
});

export default defineConfig(({ mode }) => {
  const quick = mode === 'quick';
  return {
    // The graphql package contains its code twice, and Vite would load another copy than Node does: there must be one.
    resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
    test: {
      globalSetup: './test/support/ready-databases.ts',
      setupFiles: ['./test/support/cpu-time.ts', './test/support/left-open.ts'],
      sequence: { sequencer: LongestFirst },
      reporters: ['default', './test/support/left-out.ts', './test/support/unsteady.ts', './test/support/budgets.ts'],
      // The gate is not failed by a missed deadline among 11,000 tests on a busy machine. It names what it ran again.
      retry: process.env.CI ? 2 : 0,
      // Of a machine that is ten times slower than usual. A test that must be fast says so itself.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      // Vitest looks for one second, which a browser or another process may take on such a machine.
      expect: { poll: { timeout: 60_000 } },
      // Vitest keeps a core free for itself by default. Most tests wait for sockets and processes, so it needs none; of the
      // whole, so many wait that cores would be idle with one worker each.
      maxWorkers: availableParallelism() + (quick ? 0 : 3),
      env: {
        // As src/app/main.js does: without it, each thread of each gateway loads the compiler that strips types, 2.8 MB of
        // WebAssembly. The suites take up to twice the time, and V8 can end a process that drops such code beside threads
        // (nodejs/node#64500).
        NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
        ...(quick ? { TEST_POSTGRES_URL: '', TEST_REDIS_URL: '', CHROMIUM: 'none' } : {}),
      },
      ...(quick
        ? without(grouped)
        : {
            projects: [
              { extends: true, test: { name: 'alone', include: alone } },
              { extends: true, test: { name: 'together', ...without(alone) } },
            ],
          }),
    },
  };
});
