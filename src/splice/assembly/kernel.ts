import { print } from './print.ts';
import { reserve } from './room.ts';
import { scan, tapeEnd } from './scan.ts';

/** All that the kernel exports. */
export { print, reserve, scan, tapeEnd };
