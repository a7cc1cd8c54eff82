/**
 * The entry of the process. Node keeps what it compiles, types stripped, for the next start, which then takes half the
 * time. The folder is that of the installation: in the system's own for temporary files, others could put code into it.
 * Where it cannot be written, nothing is kept.
 *
 * JavaScript, as is the file of flags: for a type to strip here, each start would load the compiler.
 */
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** By then the modules of a start are loaded. Flushed now, the cache survives a kill. */
const flushAfterMs = 5_000;
/** Modules between two flushes while they load. */
const flushEvery = 50;
/** A flush that takes more CPU time writes, as in the first start: the rest is written when nobody waits for the start. */
const writingMicroseconds = 5_000;

// Threads know the folder by this variable only. Without it each would load the compiler that strips types: 20 MiB, and a
// tenth of a second.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
enableCompileCache();
setTimeout(flushCompileCache, flushAfterMs).unref();

// Nearly all that a start makes is kept. V8 would double the young generation up to its maximum for it, and an idle gateway would
// keep 16 MiB.
const growYoungGeneration = (factor) => setFlagsFromString(`--semi-space-growth-factor=${factor}`);
growYoungGeneration(1);

let resolved = 0;
let isWriting = false;

/** Node keeps what it has read from the cache until the next flush: 8 MiB for all modules, which would stay resident. */
function dropCompiled() {
  resolved += 1;
  if (isWriting || resolved % flushEvery > 0) return;
  // Not by the clock, which also runs while other processes have the core.
  const before = process.cpuUsage();
  flushCompileCache();
  const { user, system } = process.cpuUsage(before);
  isWriting = user + system > writingMicroseconds;
}

// An import by a relative path says where its file is. Node would look for it on the disk, link by link: a tenth of the CPU time
// of a start with its thousand files.
registerHooks({
  resolve(specifier, context, resolve) {
    dropCompiled();
    const isFile = specifier.startsWith('.') && context.conditions.includes('import');
    return isFile
      ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
      : resolve(specifier, context);
  },
});

await import('./v8-flags.js');
const { run } = await import('./process.ts');
await run();
// As V8 begins. Requests let it grow.
growYoungGeneration(2);
