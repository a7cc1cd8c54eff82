import { print } from './print.ts';
import { reserve } from './room.ts';
import { scan } from './scan.ts';
import { tapeEnd } from './tape.ts';

export { print, reserve, scan, tapeEnd };
