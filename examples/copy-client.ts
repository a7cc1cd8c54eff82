/** `npm run client -- --out FOLDER` copies the files that clients in a browser share into a project, which then owns them. */
import { cpSync, globSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** npm runs a script in the folder of its package, and says where it was called. */
const calledIn = process.env.INIT_CWD ?? process.cwd();

const usage = 'Name a folder: npm run client -- --out ../my-app/src/postern\n';
const { out, help } = optionsOf();
if (help || out === undefined) {
  (help ? process.stdout : process.stderr).write(usage);
  process.exit(help ? 0 : 1);
}
const folder = resolve(calledIn, out);
const files = globSync(['shared/*.ts', 'node/merge.ts'], { cwd: import.meta.dirname }).sort();
for (const file of files) cpSync(join(import.meta.dirname, file), join(folder, basename(file)));
process.stdout.write(`${relative(calledIn, folder)}: ${files.map((file) => basename(file)).join(', ')}\n`);

function optionsOf(): { readonly out?: string; readonly help?: boolean } {
  try {
    return parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } } }).values;
  } catch {
    // An unknown option: the usage is the message.
    return {};
  }
}
