/** What the system says of a process. NaN where it does not say it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';

const isLinux = platform() === 'linux';

/** CPU time of a process in microseconds. */
export function cpuOf(pid: number): number {
  if (!isLinux) return Number.NaN;
  // proc(5): after the process name in parentheses, fields 12 and 13 are user and system time in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Resident memory of a process in MiB. */
export const residentOf = (pid: number): number => statusOf(pid, 'VmRSS');

/** Peak resident memory of a process in MiB, since the last {@link resetPeak}. */
export const peakOf = (pid: number): number => statusOf(pid, 'VmHWM');

/** Resets the peak to the memory that is resident now. */
export function resetPeak(pid: number): void {
  if (isLinux) writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function statusOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  if (!isLinux) return Number.NaN;
  const kibibytes = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1_024;
}
