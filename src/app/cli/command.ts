import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { RandomBytes } from '../../kernel/ids.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import { migrations } from '../../store/migrations/index.ts';
import { type Config, configHelp, readConfig } from '../config/config.ts';
import { reportFailure, reportUncaught, UsageError, writeNote } from './report-error.ts';

interface CommandContext {
  readonly database: Database;
  readonly config: Config;
  readonly now: Date;
  readonly randomBytes: RandomBytes;
}

/** Reads arguments, and returns the work: nothing is opened before they are valid. @throws UsageError */
export type Subcommand = (args: string[]) => (context: CommandContext) => Promise<string>;

export function runCommand(usage: string, subcommands: Readonly<Record<string, Subcommand>>): Promise<void> {
  const [first] = process.argv.slice(2);
  const isHelp = first === undefined || first === 'help';
  return runProgram(usage, isHelp ? ['--help'] : process.argv.slice(2), ([name = '', ...args]) => {
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (subcommand === undefined) {
      throw new UsageError(`"${name}" must be one of ${Object.keys(subcommands).join(', ')}. See --help.`);
    }
    const work = subcommand(args);
    return async (config) => {
      const location = config.database;
      const isNew = location.kind === 'sqlite' && !existsSync(location.file);
      const database = await openDatabase(location, migrations, {
        onWait: noteWait,
      });
      try {
        const result = await work({ database, config, now: new Date(), randomBytes });
        // Whoever forgot DATABASE_URL would look for the key in the database of the gateway.
        if (isNew) writeNote(`Created the database ${resolve(location.file)}, because DATABASE_URL led to none.`);
        return result;
      } finally {
        await database.destroy();
      }
    };
  });
}

/** For a terminal. */
export const noteWait = (): void => writeNote('The migration waits for other sessions of the database.');

/** As {@link runCommand}, without subcommands. */
export async function runProgram(
  usage: string,
  args: string[],
  read: (args: string[]) => (config: Config) => Promise<string>,
): Promise<void> {
  reportUncaught();
  try {
    if (args.some((arg) => arg === '--help' || arg === '-h')) {
      process.stdout.write(
        `${usage}\nEnvironment variables, all optional and shared with the gateway:\n${configHelp()}\n`,
      );
      return;
    }
    const work = read(args);
    process.stdout.write(`${await work(readConfig(process.env))}\n`);
  } catch (error) {
    reportFailure(error);
  }
}

/** @param positionals how many are allowed. @throws UsageError for a surplus one; as `parseArgs` */
export function readOptions<const Name extends string>(
  args: string[],
  names: readonly Name[],
  positionals = 0,
): { readonly options: Readonly<Partial<Record<Name, string>>>; readonly positionals: readonly string[] } {
  const options: ParseArgsOptionsConfig = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const read = parseArgs({ args, options, allowPositionals: true });
  const surplus = read.positionals[positionals];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is not expected here. See --help.`);
  // parseArgs infers text only for options that are written out.
  return { options: read.values as Partial<Record<Name, string>>, positionals: read.positionals };
}

/** Trimmed. @throws UsageError when missing or empty */
export function requiredOption(options: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = options[name]?.trim();
  if (value) return value;
  throw new UsageError(`--${name} is required and needs a value: --${name} <value>. See --help.`);
}

/** @param name on the command line, such as `--type` or `<source>`. @throws UsageError for another word */
export function choiceOption<Word extends string>(value: string, name: string, allowed: readonly Word[]): Word {
  const found = allowed.find((word) => word === value);
  if (found !== undefined) return found;
  throw new UsageError(`${name} must be one of ${allowed.join(', ')}, but is "${value}".`);
}

/** A list separated by commas, without repetitions. @throws UsageError when it, or an entry, is empty */
export function requiredListOption(options: Readonly<Record<string, string | undefined>>, name: string): string[] {
  const entries = requiredOption(options, name)
    .split(',')
    .map((entry) => entry.trim());
  if (!entries.includes('')) return [...new Set(entries)];
  throw new UsageError(`--${name} must be a list such as one,two without empty entries.`);
}

/** For usage texts: lines of at most 100 characters, the first without the indent. */
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
