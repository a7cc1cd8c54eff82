/**
 * Loaded into a process before its own code (`--import`): writes what the process has loaded when it exits. JavaScript, so that
 * the process loads nothing for it.
 */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { LOADED_MODULES } = process.env;
const modules = [];
if (isMainThread) {
  registerHooks({
    resolve(specifier, context, resolve) {
      if (specifier.startsWith('.') && context.conditions.includes('import')) modules.push(`searched ${specifier}`);
      return resolve(specifier, context);
    },
    load(url, context, load) {
      modules.push(url);
      return load(url, context);
    },
  });
  process.on('exit', () => writeFileSync(LOADED_MODULES, JSON.stringify([...modules, ...process.moduleLoadList])));
}
