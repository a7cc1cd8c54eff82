/** The groups that `npm test` leaves out, by the suffix of their suites: `NAME.GROUP.test.ts`. `npx vitest run .GROUP.` runs one. */
export const groups = {
  processes: 'start processes, stop or kill them, and share databases between them',
  browser: 'start a browser',
  proof: 'go through thousands of generated cases, or put faults into the code that tests must find',
  docs: 'build and start the deployments that the documentation describes',
  slow: 'go through every case on every backend and database, or wait for real deadlines',
} as const;

export type Group = keyof typeof budgets;

/**
 * Seconds of CPU time: about twice what a slow machine took, four to seven times a quick one. Browsers that draw in software
 * differ most. A run goes through the groups in this order.
 */
export const budgets = {
  'test/examples': 1_250,
  'test/clients': 500,
  browser: 900,
  docs: 320,
  processes: 1_700,
  proof: 600,
  slow: 1_150,
  fast: 950,
  /** All of `npm test`, where suites share their modules. */
  quick: 480,
} as const;

const isGroup = (name: string | undefined): name is Group => name !== undefined && name in budgets;

/** @param file as `test/store/faults.proof.test.ts` */
export function groupOf(file: string): Group {
  const folder = file.split('/', 2).join('/');
  if (isGroup(folder)) return folder;
  const suffix = /\.(\w+)\.test\.ts$/.exec(file)?.[1];
  return isGroup(suffix) ? suffix : 'fast';
}
