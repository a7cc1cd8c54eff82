/** File systems of a test's own: small ones, and ones that cannot be written to. Only root can mount them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Mount {
  readonly path: string;
  /** Refuses writes from now on. */
  protect(): void;
  [Symbol.dispose](): void;
}

/** A file system in memory. @param size such as `2m` */
export function mountSmall(size: string): Mount {
  const path = mkdtempSync(join(tmpdir(), 'postern-mount-'));
  try {
    mount('-t', 'tmpfs', '-o', `size=${size}`, 'postern-test', path);
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
  let layers = 1;
  return {
    path,
    protect() {
      // Files that are open stay writable: the file system is mounted a second time above itself.
      mount('--bind', path, path);
      layers += 1;
      mount('-o', 'remount,bind,ro', path);
    },
    [Symbol.dispose]() {
      for (; layers > 0; layers -= 1) execFileSync('umount', ['--lazy', path]);
      rmSync(path, { recursive: true });
    },
  };
}

const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'ignore' });

/** Whether this user of this machine can mount a file system. */
export const canMount: boolean = (() => {
  try {
    mountSmall('64k')[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
})();
