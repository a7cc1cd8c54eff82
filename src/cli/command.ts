/** What the commands beside the gateway share: choosing a subcommand, its options, the database, and tables as text. */
import { randomBytes } from 'node:crypto';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { configHelp, readConfig } from '../config.ts';
import type { RandomBytes } from '../ids.ts';
import { type Database, type DatabaseLocation, openDatabase } from '../store/database.ts';
import { reportFailure, UsageError } from './report-error.ts';

/** What a subcommand works on. */
export interface Tools {
  readonly database: Database;
  readonly location: DatabaseLocation;
  readonly now: Date;
  readonly randomBytes: RandomBytes;
  /** Tells a person something that is no part of the result, which goes to standard output alone. */
  readonly say: (text: string) => void;
}

/**
 * Reads its arguments, and answers the work to be done: nothing is opened before they are known to be good. The work
 * answers what is printed.
 * @throws UsageError
 */
export type Subcommand = (args: string[]) => (tools: Tools) => Promise<string>;

/** Runs the subcommand that the process was started with. */
export async function runCommand(usage: string, subcommands: Readonly<Record<string, Subcommand>>): Promise<void> {
  try {
    const [name, ...args] = process.argv.slice(2);
    if (name === undefined || name === 'help' || [name, ...args].some((arg) => arg === '--help' || arg === '-h')) {
      process.stdout.write(`${usage}\nEnvironment, all of it optional, the same as of the gateway:\n${configHelp()}\n`);
      return;
    }
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (subcommand === undefined) {
      throw new UsageError(`"${name}" must be one of ${Object.keys(subcommands).join(', ')}. See --help.`);
    }
    const work = subcommand(args);
    const { database: location } = readConfig(process.env);
    const database = await openDatabase(location);
    try {
      const say = (text: string) => void process.stderr.write(`${text}\n`);
      process.stdout.write(`${await work({ database, location, now: new Date(), randomBytes, say })}\n`);
    } finally {
      await database.destroy();
    }
  } catch (error) {
    reportFailure(error);
  }
}

/** The options of a subcommand, all of them text, and its arguments. An option that is not listed is a UsageError. */
export function readOptions<const Name extends string>(
  args: string[],
  names: readonly Name[],
  positionals = 0,
): { readonly options: Readonly<Partial<Record<Name, string>>>; readonly positionals: readonly string[] } {
  const options: ParseArgsOptionsConfig = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const read = parseArgs({ args, options, allowPositionals: true });
  const surplus = read.positionals[positionals];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is not expected here. See --help.`);
  return { options: read.values as Partial<Record<Name, string>>, positionals: read.positionals };
}

/** The value of an option that must be given, and not be empty. */
export function required(options: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = options[name]?.trim();
  if (value) return value;
  throw new UsageError(`--${name} is required, with a value: --${name} <value>. See --help.`);
}

/** The value of an option, as one of a closed vocabulary. */
export function oneOf<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const found = allowed.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} must be one of ${allowed.join(', ')}, but is "${value}".`);
}

/** The value of an option that lists at least one thing, separated by commas. */
export function requiredList(options: Readonly<Record<string, string | undefined>>, name: string): string[] {
  const entries = required(options, name)
    .split(',')
    .map((entry) => entry.trim());
  if (!entries.includes('')) return [...new Set(entries)];
  throw new UsageError(`--${name} must be a list as one,two without empty entries.`);
}

/** Rows under their headings, in columns of equal width. */
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
