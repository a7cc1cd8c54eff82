import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The name of the file that holds the key of the demo workspace, next to the database file. */
export const demoKeyFile = 'demo-key';

/** The demo key in `directory`; undefined if there is none. */
export async function readDemoKey(directory: string): Promise<string | undefined> {
  try {
    return (await readFile(join(directory, demoKeyFile), 'utf8')).trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
