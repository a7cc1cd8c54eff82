/** Why a SQLite file could not be opened, and what to do, found by looks that open nothing. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** @param reason of SQLite or the system, where none is found */
export function unopenedSentence(given: string, reason: string): string {
  const file = resolve(given);
  const another = 'or set DATABASE_URL to another path';
  const user = `the user ${process.getuid?.() ?? 'of the gateway'}`;
  const found = existsSync(file) ? statSync(file) : null;
  if (found?.isDirectory())
    return `${file} is a folder: set DATABASE_URL to a file, such as sqlite:${file}/postern.db.`;
  if (found !== null && !found.isFile()) return `${file} is not a file: set DATABASE_URL to another path.`;
  const folder = existingFolder(dirname(file));
  if (!statSync(folder).isDirectory()) return `${folder} is a file, not a folder: set DATABASE_URL to another path.`;
  if (found !== null && !allows(file, constants.R_OK | constants.W_OK)) {
    return `${file} belongs to the user ${found.uid}, and ${user} may not read and write it: run the gateway as its owner, change the owner (chown), ${another}.`;
  }
  // Also beside an existing file: SQLite writes its log there.
  if (!allows(folder, constants.W_OK | constants.X_OK)) {
    return `The folder ${folder} cannot be written to by ${user}: give the user write access, ${another}.`;
  }
  if (/not a database/.test(reason)) {
    return `${file} is not a SQLite database: set DATABASE_URL to another path, or restore a backup with "npm run restore".`;
  }
  return `${file} cannot be opened (${reason}): correct that, ${another}.`;
}

const existingFolder = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));

function allows(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
