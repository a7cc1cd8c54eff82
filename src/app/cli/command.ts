/** What the commands share: subcommands, options, the database, and tables as text. */
import { randomBytes } from 'node:crypto';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { RandomBytes } from '../../kernel/ids.ts';
import { type Database, type DatabaseLocation, openDatabase } from '../../store/database.ts';
import { describeWait } from '../../store/lock-holders.ts';
import { migrations } from '../../store/migrations/index.ts';
import { type Config, configHelp, readConfig } from '../config/config.ts';
import { reportFailure, UsageError } from './report-error.ts';

/** Writes a line for people to standard error, so that standard output has the result alone. */
type Note = (text: string) => void;

/** What the work of a subcommand needs. */
export interface CommandContext {
  readonly database: Database;
  readonly location: DatabaseLocation;
  /** The service behind the gateway; null on the embedded backend. */
  readonly upstream: Config['upstream'];
  readonly now: Date;
  readonly randomBytes: RandomBytes;
  readonly note: Note;
}

/**
 * Reads its arguments and returns the work to do, which resolves to the text to print. Nothing is opened before the
 * arguments are valid.
 * @throws UsageError when they are not
 */
export type Subcommand = (args: string[]) => (context: CommandContext) => Promise<string>;

/** Runs the subcommand that the process was started with. Errors are reported, not thrown. */
export function runCommand(usage: string, subcommands: Readonly<Record<string, Subcommand>>): Promise<void> {
  const [first] = process.argv.slice(2);
  const isHelp = first === undefined || first === 'help';
  return runProgram(usage, isHelp ? ['--help'] : process.argv.slice(2), ([name = '', ...args]) => {
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (subcommand === undefined) {
      throw new UsageError(`"${name}" must be one of ${Object.keys(subcommands).join(', ')}. See --help.`);
    }
    const work = subcommand(args);
    return async ({ database: location, upstream }, note) => {
      const database = await openDatabase(location, migrations, { onWait: (holders) => note(describeWait(holders)) });
      try {
        return await work({ database, location, upstream, now: new Date(), randomBytes, note });
      } finally {
        await database.destroy();
      }
    };
  });
}

/**
 * Runs a command. Errors are reported, not thrown.
 * @param read reads the arguments and returns the work to do, which resolves to the text to print
 */
export async function runProgram(
  usage: string,
  args: string[],
  read: (args: string[]) => (config: Config, note: Note) => Promise<string>,
): Promise<void> {
  try {
    if (args.some((arg) => arg === '--help' || arg === '-h')) {
      process.stdout.write(
        `${usage}\nEnvironment variables, all optional and shared with the gateway:\n${configHelp()}\n`,
      );
      return;
    }
    const work = read(args);
    const note: Note = (text) => {
      process.stderr.write(`${text}\n`);
    };
    process.stdout.write(`${await work(readConfig(process.env), note)}\n`);
  } catch (error) {
    reportFailure(error);
  }
}

/**
 * The options of a subcommand, all of them text, and its positional arguments.
 * @param positionals how many positional arguments are allowed
 * @throws UsageError for a surplus argument; an unknown option throws an error of `parseArgs`
 */
export function readOptions<const Name extends string>(
  args: string[],
  names: readonly Name[],
  positionals = 0,
): { readonly options: Readonly<Partial<Record<Name, string>>>; readonly positionals: readonly string[] } {
  const options: ParseArgsOptionsConfig = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const read = parseArgs({ args, options, allowPositionals: true });
  const surplus = read.positionals[positionals];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is not expected here. See --help.`);
  // Each option is declared as text above, but parseArgs infers that only for options that are written out.
  return { options: read.values as Partial<Record<Name, string>>, positionals: read.positionals };
}

/**
 * The value of a required option, trimmed.
 * @throws UsageError when it is missing or empty
 */
export function required(options: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = options[name]?.trim();
  if (value) return value;
  throw new UsageError(`--${name} is required and needs a value: --${name} <value>. See --help.`);
}

/**
 * A value as one of a closed vocabulary.
 * @param name what the value is called on the command line, such as `--type` or `<source>`
 * @throws UsageError when it is none of them
 */
export function oneOf<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const found = allowed.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UsageError(`${name} must be one of ${allowed.join(', ')}, but is "${value}".`);
}

/**
 * The entries of a required option that is a list separated by commas, without repetitions.
 * @throws UsageError when it is missing, empty, or has an empty entry
 */
export function requiredList(options: Readonly<Record<string, string | undefined>>, name: string): string[] {
  const entries = required(options, name)
    .split(',')
    .map((entry) => entry.trim());
  if (!entries.includes('')) return [...new Set(entries)];
  throw new UsageError(`--${name} must be a list such as one,two without empty entries.`);
}

/** A list in lines of at most 100 characters, the first of them without the indent, for a usage text. */
export function wrapList(entries: readonly string[], indent: number): string {
  const lines = [''];
  for (const [index, entry] of entries.entries()) {
    const text = index < entries.length - 1 ? `${entry}, ` : entry;
    const line = lines.at(-1) ?? '';
    if (indent + line.length + text.length > 100) lines.push(text);
    else lines.splice(-1, 1, line + text);
  }
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`);
}

/** Rows under their headings, in aligned columns. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
