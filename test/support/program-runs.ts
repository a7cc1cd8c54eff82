/** The process of `startPrograms`: runs programs as `node <file> <arguments>` would, and sends what comes of each. */
import { pathToFileURL } from 'node:url';
import type { Ended, Program } from './process.ts';

const streams = ['stdout', 'stderr'] as const;
let number = 0;

async function run({ file, args, environment }: Program): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const originals = streams.map((name) => process[name].write);
  for (const name of streams) {
    process[name].write = (text: unknown) => {
      texts[name] += String(text);
      return true;
    };
  }
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, file, ...args];
  process.exitCode = 0;
  number += 1;
  // The modules that it imports are loaded once, itself anew: it runs as it is evaluated.
  await import(`${pathToFileURL(file)}?${number}`);
  // As a gateway that fails lets it go.
  process.channel?.ref();
  for (const event of ['uncaughtException', 'SIGTERM', 'SIGINT']) process.removeAllListeners(event);
  const code = Number(process.exitCode);
  process.exitCode = 0;
  for (const [at, name] of streams.entries()) process[name].write = originals[at] as never;
  return { code, ...texts };
}

process.on('message', async (program: Program) => process.send?.(await run(program)));
process.on('disconnect', () => process.exit());
