/** The groups that `npm test` leaves out, by the suffix of their suites: `NAME.GROUP.test.ts`. `npx vitest run .GROUP.` runs one. */
export const groups = {
  processes: 'start processes, stop or kill them, and share databases between them',
  browser: 'start a browser',
  proof: 'go through thousands of generated cases, or put faults into the code that tests must find',
  docs: 'build and start what the documentation tells an operator to',
  slow: 'go through every case on every backend and database, or wait for real deadlines',
} as const;
