/** Failures of a start: one line with the cure, where the cause is known. */
import { ConfigError } from '../../kernel/config-error.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { redactor } from '../../kernel/secrets/redact.ts';
import { SchemaTooNew } from '../../store/compatibility.ts';
import { DatabaseUnavailable } from '../../store/database.ts';
import { DatabaseFault } from '../../store/faults.ts';
import { DamagedDatabase } from '../../store/sqlite-backup.ts';
import { secretsIn } from '../config/secrets.ts';

/** The message names the option and the cure. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** On standard error, with the exit code 1. */
export function reportFailure(error: unknown): void {
  writeNote(explain(error));
  process.exitCode = 1;
}

/** On standard error: standard output has the result alone. Drivers' errors may contain secrets. */
export function writeNote(text: string): void {
  process.stderr.write(`${redactor(secretsIn(process.env))(text)}\n`);
}

/** A name that was mistyped makes one, too. */
export const newWorkspace = (name: string): string => `Created the workspace "${name}", because none had this name.`;

/** Ends the process as {@link reportFailure}. */
export function reportUncaught(): void {
  process.on('uncaughtException', (error) => {
    reportFailure(error);
    process.exit();
  });
}

/** Node.js's fields on errors of system calls, and of `parseArgs` (`code`). */
interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly address?: string;
  readonly port?: number;
}

const oneLine = [ConfigError, UsageError, SchemaTooNew, DamagedDatabase];

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (oneLine.some((type) => error instanceof type)) return error.message;
  if (error instanceof DatabaseFault) return `${error.message} (${String(error.cause)})`;
  if (error instanceof DatabaseUnavailable) return error.sentence;
  if (error instanceof ServiceError) return error.message;
  const { message, code, syscall, path, address, port }: SystemError = error;
  if (code?.startsWith('ERR_PARSE_ARGS_')) return `${message.split('. ', 1)[0]}. See --help.`;
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return `PORT ${port} of ${address} is in use: set PORT to another one (0 picks a free one), or stop the process that listens there.`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `The gateway cannot listen on HOST and PORT (${message}): set HOST to an address of this machine, and PORT to one that you may use.`;
  }
  if (path !== undefined) {
    return `${message}: give this user write access, or set DATABASE_URL to another path.`;
  }
  // Unexpected: the stack shows its place.
  return error.stack ?? String(error);
}
