import { mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const projects = join(import.meta.dirname, '.projects');

/** A new folder, whose files find the packages of the clients, those of the project and the project itself. Not in `node_modules`, where Node.js strips no types. */
export async function projectFolder(name: string): Promise<string> {
  const packages = join(projects, 'node_modules');
  await mkdir(packages, { recursive: true });
  await symlink(join(projects, '../../..'), join(packages, 'postern')).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return mkdtemp(join(projects, `${name}-`));
}
