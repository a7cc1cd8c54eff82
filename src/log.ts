/** The log of the process, on standard output. */
import { hostname } from 'node:os';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { buildVersion } from './build-version.ts';
import type { Tracer } from './telemetry/telemetry.ts';

/** What is kept of a log that cannot be written at the moment, in bytes. Later lines are left out. */
const keptBytes = 1_048_576;

const ignore = () => undefined;

/** What every line says: the build, the process, its host, and the trace that the line belongs to. */
export const logOptions = (level: string, tracer: Tracer | null): LoggerOptions => ({
  level,
  base: { version: buildVersion, pid: process.pid, hostname: hostname() },
  ...(tracer === null ? {} : { mixin: () => (tracer.traceId === undefined ? {} : { traceId: tracer.traceId }) }),
});

/**
 * Opens the log. The process never ends because a line cannot be written: while the disk is full, lines are kept and written
 * later, up to a mebibyte of them; when nobody reads a pipe any more, there is no log.
 */
export function openLog(level: string, tracer: Tracer | null = null): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: keptBytes });
  // An 'error' event without a listener would end the process. So would that of what is printed for people.
  destination.on('error', ignore);
  process.stderr.on('error', ignore);
  return pino(logOptions(level, tracer), destination);
}
