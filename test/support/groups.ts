/** The groups that `npm test` leaves out, by the suffix of their suites: `NAME.GROUP.test.ts`. `npx vitest run .GROUP.` runs one. */
export const groups = {
  processes: 'start processes, stop or kill them, and share databases between them',
  browser: 'start a browser',
  proof: 'go through thousands of generated cases, or put faults into the code that tests must find',
  docs: 'build and start what the documentation tells an operator to',
  slow: 'go through every case on every backend and database, or wait for real deadlines',
} as const;

export type Group = keyof typeof budgets;

/**
 * Seconds of CPU time on two cores: several times what `quick` and `docs` took. Of the others no figure is known, so each
 * may take what all together did (20 minutes): lower them to three times what a run prints.
 */
export const budgets = {
  /** All of `npm test`, where suites share their modules. */
  quick: 480,
  fast: 2_400,
  processes: 2_400,
  browser: 2_400,
  proof: 2_400,
  docs: 300,
  slow: 2_400,
  'test/examples': 2_400,
  'test/clients': 2_400,
} as const;

const isGroup = (name: string | undefined): name is Group => name !== undefined && name in budgets;

/** @param file as `test/store/faults.proof.test.ts` */
export function groupOf(file: string): Group {
  const folder = file.split('/', 2).join('/');
  if (isGroup(folder)) return folder;
  const suffix = /\.(\w+)\.test\.ts$/.exec(file)?.[1];
  return isGroup(suffix) ? suffix : 'fast';
}
