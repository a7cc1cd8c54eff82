import { print } from './print.ts';
import { reserve } from './room.ts';
import { scan } from './scan.ts';
import { tapeEnd } from './tape.ts';

/** All that the kernel exports. */
export { print, reserve, scan, tapeEnd };
