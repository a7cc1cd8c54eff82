import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/support/left-out.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
