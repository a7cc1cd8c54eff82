/** A process that runs programs one after another, as `node <file> <arguments>` would, and prints what comes of each. */
import { pathToFileURL } from 'node:url';
import type { Ended } from './process.ts';

const runs: readonly (readonly [file: string, args: readonly string[]])[] = JSON.parse(process.argv[2] ?? '');
const ended: Ended[] = [];
const streams = ['stdout', 'stderr'] as const;
const originals = streams.map((name) => process[name].write);

for (const [number, [file, args]] of runs.entries()) {
  const texts = { stdout: '', stderr: '' };
  for (const name of streams) {
    process[name].write = (text: unknown) => {
      texts[name] += String(text);
      return true;
    };
  }
  process.argv = [process.execPath, file, ...args];
  process.exitCode = 0;
  // The modules that it imports are loaded once, itself anew: it runs as it is evaluated.
  await import(`${pathToFileURL(file)}?${number}`);
  process.removeAllListeners('uncaughtException');
  ended.push({ code: Number(process.exitCode), ...texts });
}
for (const [at, name] of streams.entries()) process[name].write = originals[at] as never;
process.exitCode = 0;
process.stdout.write(JSON.stringify(ended));
