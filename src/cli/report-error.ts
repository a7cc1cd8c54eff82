/** What a person is told when a command or the gateway cannot start: one line with the cure, where there is one. */
import { ConfigError } from '../config.ts';
import { DatabaseUnavailable } from '../store/database.ts';

/** A command that was not given what it needs. Its message names the option and the cure. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes why the start failed, and lets the process end with 1. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof UsageError) return error.message;
  if (error instanceof DatabaseUnavailable) {
    return `DATABASE_URL names a database that cannot be opened (${error.message}): start it, mend its address, or leave the variable out for a SQLite file.`;
  }
  const { code, syscall, path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code?.startsWith('ERR_PARSE_ARGS_')) return `${(error as Error).message.split('. ', 1)[0]}. See --help.`;
  if (syscall === 'listen' && code === 'EADDRINUSE') {
    return `PORT ${port} of ${address} is in use: set PORT to another one (0 takes a free one), or stop what listens there.`;
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    return `HOST and PORT cannot be listened on (${(error as Error).message}): set HOST to an address of this machine, and PORT to one that you may use.`;
  }
  if (path !== undefined) {
    return `${(error as Error).message}: let this user write there, or choose another place with DATABASE_URL.`;
  }
  // Nobody foresaw it: whoever looks into it needs to see where it happened.
  return (error as Error).stack ?? String(error);
}
