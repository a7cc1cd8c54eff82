import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The graphql package has its code twice, and Vite would take the other copy than Node does: there must be one.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/support/left-out.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
});
