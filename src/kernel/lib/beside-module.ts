import { extname } from 'node:path';

/** A module for a thread: of TypeScript here, of JavaScript in the package. @param path without its extension @param from `import.meta.url` */
export const besideModule = (path: string, from: string): URL => new URL(path + extname(new URL(from).pathname), from);
