/** What tests can use beyond the project's own files, where the machine has it. */
import { existsSync } from 'node:fs';

/** A Postgres server for tests that need one: `TEST_POSTGRES_URL`. Each makes a database of its own there. */
export const postgresUrl: string | undefined = process.env.TEST_POSTGRES_URL || undefined;

/** The Chromium of the machine: `CHROMIUM` and no other where it is set, else where Debian's package puts it. */
export const chromium: string | undefined = [process.env.CHROMIUM || '/usr/bin/chromium'].find((path) =>
  existsSync(path),
);

/** curl, for the lines of the README that call it. */
export const curl: string | undefined = ['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl'].find((path) =>
  existsSync(path),
);

/** What a run of the tests leaves out, and what it would take. */
export const leftOut: readonly string[] = [
  ...(postgresUrl === undefined ? ['everything on Postgres: set TEST_POSTGRES_URL=postgres://… to a server'] : []),
  ...(chromium === undefined ? ['GraphiQL in a browser: install Chromium, or set CHROMIUM to its path'] : []),
  ...(curl === undefined ? ['the curl lines of the README: install curl'] : []),
];
