import { mkdir, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';

const projects = join(import.meta.dirname, '.projects');

/** A new folder, whose files find the packages of the clients and those of the project. Not in `node_modules`, where Node.js strips no types. */
export async function projectFolder(name: string): Promise<string> {
  await mkdir(projects, { recursive: true });
  return mkdtemp(join(projects, `${name}-`));
}
