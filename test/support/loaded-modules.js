/**
 * Loaded into a process before its own code (`--import`): writes what the process has loaded, and keeps, when it exits. JavaScript, so that
 * the process loads nothing for it.
 */
import { writeFileSync } from 'node:fs';
import module, { registerHooks, syncBuiltinESMExports } from 'node:module';
import { getHeapSpaceStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const { LOADED_MODULES } = process.env;
const modules = [];
let flushes = 0;
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
  const { flushCompileCache } = module;
  module.flushCompileCache = () => {
    flushes += 1;
    flushCompileCache();
  };
  syncBuiltinESMExports();
  process.on('exit', () => {
    const { space_size: youngBytes } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    const loaded = { modules: [...modules, ...process.moduleLoadList], flushes, youngBytes };
    writeFileSync(LOADED_MODULES, JSON.stringify(loaded));
  });
}
