import { hostname } from 'node:os';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Tracer } from '../telemetry/telemetry.ts';
import { buildVersion } from './build-version.ts';
import { readable } from './readable-log.ts';
import { redactor } from './secrets/redact.ts';

/** Bytes kept while the log cannot be written. Later lines are left out. */
const keptBytes = 1_048_576;

/** A larger batch could be left out as a whole. */
const batchLength = 65_536;

const ignoreError = () => undefined;

/** Fields of every line: build, process, host, trace. @param secrets of the configuration, redacted in every line */
export const logOptions = (level: string, tracer: Tracer | null, secrets: readonly string[] = []): LoggerOptions => ({
  level,
  base: { version: buildVersion, pid: process.pid, hostname: hostname() },
  serializers: { err: (error: Error) => withoutValues(stdSerializers.err(error)) },
  hooks: { streamWrite: redactor(secrets) },
  ...(tracer === null ? {} : { mixin: () => (tracer.traceId === undefined ? {} : { traceId: tracer.traceId }) }),
});

/** Driver errors show values of a statement or command here, or an address with a password. */
const fieldsWithValues: ReadonlySet<string> = new Set(['input', 'parameters', 'args', 'command', 'previousErrors']);
/** Fields of Postgres that can hold values, whose errors have a severity: `Failing row contains (…)`. */
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
 * Opens the log on standard output: lines of JSON, or for people if it is a terminal. A write failure never ends the process: while the disk is full, up to a mebibyte of
 * lines waits; a pipe without a reader ends the log.
 */
export function openLog(level: string, tracer: Tracer | null, secrets: readonly string[]): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: keptBytes });
  // An 'error' event without a listener would end the process, also one of output for people.
  destination.on('error', ignoreError);
  process.stderr.on('error', ignoreError);
  return pino(logOptions(level, tracer, secrets), inBatches(destination, process.stdout.isTTY ? readable : null));
}

/** One write for the lines of a turn of the event loop: each takes a system call, a thirtieth of a small request. */
function inBatches(destination: DestinationStream, shown: ((lines: string) => string) | null): DestinationStream {
  let lines = '';
  const flush = () => {
    const batch = lines;
    lines = '';
    if (batch !== '') destination.write(shown === null ? batch : shown(batch));
  };
  process.on('exit', flush);
  return {
    write(line) {
      // A long line takes no others with it.
      if (lines.length + line.length > batchLength) flush();
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}
