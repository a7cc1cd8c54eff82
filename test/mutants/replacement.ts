/** Bugs as replacements in the text of modules of src. */
import { registerHooks } from 'node:module';

/** A place in a module of src, and what stands there instead. */
export interface Replacement {
  /** Below src, as `store/keyset.ts`. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** By the rule that is broken. */
export type Mutants = Readonly<Record<string, readonly Replacement[]>>;

export const at = (file: string, find: string, replace: string): Replacement => ({ file, find, replace });

/**
 * The text of a module with a replacement in the one place that it is for.
 * @throws Error when the place is not found, or there are several
 */
export function replaced(source: string, { file, find, replace }: Replacement): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${find}`);
  return parts.join(replace);
}

/** Puts a bug into the modules that this process loads from now on. */
export function seed(replacements: readonly Replacement[]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const here = replacements.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (here.length === 0 || loaded.source == null) return loaded;
      return { ...loaded, source: here.reduce(replaced, textOf(loaded.source)) };
    },
  });
}

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source);
