/** The log of the process, on standard output. */
import { hostname } from 'node:os';
import { type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Tracer } from '../telemetry/telemetry.ts';
import { buildVersion } from './build-version.ts';
import { redactor } from './secrets/redact.ts';

/** What is kept of a log that cannot be written at the moment, in bytes. Later lines are left out. */
const keptBytes = 1_048_576;

const ignore = () => undefined;

/**
 * What every line says: the build, the process, its host, and the trace that the line belongs to.
 * @param secrets of the configuration, which no line has, whatever error or cause tells them
 */
export const logOptions = (level: string, tracer: Tracer | null, secrets: readonly string[] = []): LoggerOptions => ({
  level,
  base: { version: buildVersion, pid: process.pid, hostname: hostname() },
  serializers: { err: (error: Error) => withoutValues(stdSerializers.err(error)) },
  hooks: { streamWrite: redactor(secrets) },
  ...(tracer === null ? {} : { mixin: () => (tracer.traceId === undefined ? {} : { traceId: tracer.traceId }) }),
});

/** Fields of errors of drivers that have the values of a statement or a command, or an address with a password. */
const fieldsWithValues: ReadonlySet<string> = new Set(['input', 'parameters', 'args', 'command', 'previousErrors']);
/** Of Postgres, whose errors have a severity: `Failing row contains (…)`. */
const fieldsOfPostgres: ReadonlySet<string> = new Set(['detail', 'where', 'internalQuery']);

function withoutValues(told: object): object {
  const isOfPostgres = 'severity' in told;
  const isTold = (name: string) => !fieldsWithValues.has(name) && !(isOfPostgres && fieldsOfPostgres.has(name));
  const shown = Object.entries(told).filter(([name]) => isTold(name));
  return Object.fromEntries(shown.map(([name, value]) => [name, withoutValuesIn(value)]));
}

function withoutValuesIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValuesIn);
  return typeof value === 'object' && value !== null ? withoutValues(value) : value;
}

/**
 * Opens the log. The process never ends because a line cannot be written: while the disk is full, lines are kept and written
 * later, up to a mebibyte of them; when nobody reads a pipe any more, there is no log.
 */
export function openLog(level: string, tracer: Tracer | null, secrets: readonly string[]): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: keptBytes });
  // An 'error' event without a listener would end the process. So would that of what is printed for people.
  destination.on('error', ignore);
  process.stderr.on('error', ignore);
  return pino(logOptions(level, tracer, secrets), destination);
}
