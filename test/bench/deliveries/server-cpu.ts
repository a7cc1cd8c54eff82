/** CPU time of the processes of a database server that work for one database. */
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { cpuOf } from '../process-figures.ts';
import { call, type Installation } from './installation.ts';
import type { Target } from './targets.ts';

/**
 * Microseconds so far. Of Postgres: the processes of the connections to this database, without those that write logs and
 * checkpoints for all. Of Redis: the whole server. 0 where there is no server; NaN where the machine does not tell.
 */
export async function serverCpuOf({ store }: Target, { place, producer }: Installation): Promise<number> {
  if (store === 'Redis') return Number(await call(producer, { method: 'serverCpu' }));
  if (store !== 'Postgres') return 0;
  return postgresCpuOf(place);
}

/** Microseconds so far of the processes of the connections to a database of Postgres; NaN where the machine does not tell. */
export function postgresCpuOf(url: string): number {
  if (platform() !== 'linux') return Number.NaN;
  const database = new URL(url).pathname.slice(1);
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const cpu = pids.map((pid) => (commandOf(pid).includes(` ${database} `) ? cpuOf(Number(pid)) : 0));
  // A server on another machine has no process here.
  return cpu.reduce((sum, each) => sum + each, 0) || Number.NaN;
}

function commandOf(pid: string): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return command.startsWith('postgres: ') ? command : '';
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}
