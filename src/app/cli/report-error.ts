/** Reports why a command or the gateway cannot start: in one line with the cure, where the cause is known. */
import { ConfigError } from '../../kernel/config-error.ts';
import { SchemaTooNew } from '../../store/compatibility.ts';
import { DatabaseUnavailable } from '../../store/database.ts';
import { DatabaseFault } from '../../store/faults.ts';
import { DamagedDatabase } from '../../store/sqlite-backup.ts';

/** Wrong or missing arguments of a command. The message names the option and the cure. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes the reason to standard error, and sets the exit code to 1. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

/** The fields that Node.js adds to the errors of system calls, and of `parseArgs` (`code`). */
interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly address?: string;
  readonly port?: number;
}

/** Errors whose message says all. */
const oneLine = [ConfigError, UsageError, SchemaTooNew, DamagedDatabase];

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (oneLine.some((type) => error instanceof type)) return error.message;
  if (error instanceof DatabaseFault) return `${error.message} (${String(error.cause)})`;
  if (error instanceof DatabaseUnavailable) {
    return `DATABASE_URL names a database that cannot be opened (${error.message}): start it, correct its address, or unset the variable to use a SQLite file.`;
  }
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
  // An unexpected error: the stack shows where it was thrown.
  return error.stack ?? String(error);
}
