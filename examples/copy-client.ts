/** `npm run client -- --out FOLDER` copies `postern/client` into a project, which then owns it. */
import { cpSync, globSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
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
const client = join(import.meta.dirname, '../src/client');
const files = globSync('*.ts', { cwd: client }).sort();
for (const file of files) cpSync(join(client, file), join(folder, file));
process.stdout.write(`${relative(calledIn, folder)}: ${files.join(', ')}\n`);

function optionsOf(): { readonly out?: string; readonly help?: boolean } {
  try {
    return parseArgs({ options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h' } } }).values;
  } catch {
    // An unknown option: the usage is the message.
    return {};
  }
}
