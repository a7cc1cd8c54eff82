#!/usr/bin/env node
/**
 * `postern <command>`: runs a command in a Node.js that is new enough, which is the one that npm installed for the project
 * where the one of the caller is too old; and `start` with its flags of V8, which begin with a process.
 *
 * JavaScript that versions from 18 on read: cli/commands.ts has the commands.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));
const isNewEnough = process.versions.node.localeCompare('22.19', 'en', { numeric: true }) >= 0;
const installed = pathOf('../../node_modules/.bin/node');
const [command, ...args] = process.argv.slice(2);
// Itself too old, it would start itself for ever.
const hasOther = existsSync(installed) && realpathSync(installed) !== realpathSync(process.execPath);

if (!isNewEnough && !hasOther) {
  process.stderr.write(`Postern needs Node.js 22.19 or newer, and this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (command === 'start') {
  run(['--min-semi-space-size=2', '--max-semi-space-size=32', pathOf('main.js'), ...args]);
} else if (isNewEnough) {
  const { runCommands } = await import('./cli/commands.ts');
  await runCommands(process.argv.slice(2));
} else {
  run([pathOf('postern.js'), ...process.argv.slice(2)]);
}

/** In place of this process, where Node.js can; otherwise in one that gets its signals, and gives it its exit code. */
function run(words) {
  const node = isNewEnough ? process.execPath : installed;
  if (process.execve !== undefined && process.platform !== 'win32') process.execve(node, [node, ...words], process.env);
  const child = spawn(node, words, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
