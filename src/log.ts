/** The log of the process, on standard output. */
import { type Logger, pino } from 'pino';

/** What is kept of a log that cannot be written at the moment, in bytes. Later lines are left out. */
const keptBytes = 1_048_576;

const ignore = () => undefined;

/**
 * Opens the log. The process never ends because a line cannot be written: while the disk is full, lines are kept and written
 * later, up to a mebibyte of them; when nobody reads a pipe any more, there is no log.
 */
export function openLog(level: string): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: keptBytes });
  // An 'error' event without a listener would end the process. So would that of what is printed for people.
  destination.on('error', ignore);
  process.stderr.on('error', ignore);
  return pino({ level }, destination);
}
