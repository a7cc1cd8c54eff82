/** Builds the splicer's kernel from its source, as `npm run splice` does. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const { scripts } = z
  .object({ scripts: z.object({ splice: z.string() }) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

/** The part of `assemblyscript/asc` in use. Its suites install the compiler. */
interface Compiler {
  main(
    options: readonly string[],
    io: {
      readFile(file: string, base: string): string | null;
      writeFile(file: string, contents: Uint8Array): void;
    },
  ): Promise<{ error: Error | null; stderr: { toString(): string } }>;
}

// A variable, so that types are checked without it.
const compiler = 'assemblyscript/asc';

export const builtFile = 'src/splice/splice.wasm';

/**
 * @param edit changes the source of a file on its way to the compiler
 * @throws Error if it does not compile
 */
export async function buildKernel(edit = (_file: string, source: string): string => source): Promise<Uint8Array> {
  let built: Uint8Array | undefined;
  const { main } = (await import(/* @vite-ignore */ compiler)) as Compiler;
  const [, ...options] = scripts.splice.split(' && ').at(-1)?.split(' ') ?? [];
  const { error, stderr } = await main(options, {
    readFile: (file, base) => readSource(join(base, file), edit),
    writeFile: (file, contents) => {
      if (file === builtFile) built = contents;
    },
  });
  if (error !== null || built === undefined)
    throw new Error(`The kernel does not compile: ${stderr}`, { cause: error });
  return built;
}

function readSource(file: string, edit: (file: string, source: string) => string): string | null {
  // The compiler asks for files that may be there.
  return existsSync(file) ? edit(file, readFileSync(file, 'utf8')) : null;
}
