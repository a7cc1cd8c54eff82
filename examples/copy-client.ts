/** `npm run client -- --out FOLDER` copies the files that clients in a browser share into a project, which then owns them. */
import { cpSync, globSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** npm runs a script in the folder of its package, and says where it was called. */
const calledIn = process.env.INIT_CWD ?? process.cwd();

const { out } = parseArgs({ options: { out: { type: 'string' } } }).values;
if (out === undefined) {
  process.stderr.write('Name a folder: npm run client -- --out ../my-app/src/postern\n');
  process.exit(1);
}
const folder = resolve(calledIn, out);
const files = globSync(['shared/*.ts', 'node/merge.ts'], { cwd: import.meta.dirname }).sort();
for (const file of files) cpSync(join(import.meta.dirname, file), join(folder, basename(file)));
process.stdout.write(`${relative(calledIn, folder)}: ${files.map((file) => basename(file)).join(', ')}\n`);
