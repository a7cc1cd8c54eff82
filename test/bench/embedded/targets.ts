/** What is measured in embedded mode, on each database: Postern, and a peer that reads the same rows. */
import { join } from 'node:path';
import type { TestDatabase } from '../../support/databases.ts';
import { testSecret } from '../../support/webhooks.ts';
import { forkModule, messageOf } from '../children.ts';
import { postgresCpuOf } from '../deliveries/server-cpu.ts';
import { createKey, firstAnswer, type Installation, install, logFileOf, startPostern } from '../postern.ts';
import { probeFlags } from '../probing.ts';
import type { Running } from '../targets.ts';
import { type Filled, fill } from './fill.ts';

export const targets = {
  postern: { title: 'Postern', root: undefined },
  baseline: { title: 'Postern of BASELINE', root: process.env.BASELINE ?? '.' },
  mercurius: { title: 'Mercurius + jit', root: null },
} as const;

export type TargetName = keyof typeof targets;

export const usualTargets: readonly TargetName[] = ['postern', 'mercurius'];

/** A database with its rows and an API key, which all targets share. */
interface Place {
  readonly database: TestDatabase;
  readonly key: string;
  readonly filled: Filled;
}

const installIn = (directory: string, { url }: TestDatabase): Promise<Installation> =>
  install(directory, { DATABASE_URL: url, SECRET: testSecret });

/** @param directory for the log of the command that creates the key */
export async function prepare(database: TestDatabase, directory: string): Promise<Place> {
  const key = await createKey(await installIn(directory, database));
  return { database, key, filled: await fill(database) };
}

/** @param directory for the log */
export async function startTarget(
  name: TargetName,
  { database, key, filled }: Place,
  directory: string,
): Promise<Running> {
  const installation = await installIn(directory, database);
  const logFile = logFileOf(installation);
  const common = {
    key,
    logFile,
    ...(database.location.kind === 'postgres' && { databaseCpu: () => postgresCpuOf(database.url) }),
  };
  const { root } = targets[name];
  if (root === null) {
    const file = join(import.meta.dirname, '../peers/mercurius-database.js');
    const child = forkModule({ file, flags: probeFlags, args: [database.url, filled.workspaceId], logFile }, 'gateway');
    return { ...common, process: child, url: `${await messageOf(child)}/graphql` };
  }
  const postern = await startPostern(installation, { onOneCore: true, flags: probeFlags, root });
  await firstAnswer(postern, { query: '{ __typename }' });
  return { ...common, ...postern };
}
